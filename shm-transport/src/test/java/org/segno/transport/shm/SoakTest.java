package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.segno.context.Context;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;

/**
 * Two processes that send {@code -Dsegno.soak.messages} messages to each other, a thousand million by default, half of
 * them each way: 2.4e10 bytes of records in each lane and 3.2e10 of descriptors in each FIFO, so that every position in
 * bytes passes 2^32 more than four times. Every message has its number in the first word, and a check value in each
 * other. At the end a process has no more memory, open files or threads than early on, and the directory is empty.
 */
@Tag("soak")
class SoakTest {
    private static final long MESSAGES = Long.getLong("segno.soak.messages", 1_000_000_000L);

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @Test
    @Timeout(value = 2, unit = TimeUnit.HOURS)
    void shouldLoseNothingAndGrowNowhereOverAThousandMillionMessages() {
        final JobConfig job = pool.job("soak", 2);
        final TestProcess left = pool.start(Soak.class, job, Threading.INVOKER, 0, MESSAGES / 2);
        final TestProcess right = pool.start(Soak.class, job, Threading.INVOKER, 1, MESSAGES / 2);
        for (final TestProcess process : List.of(left, right)) {
            for (int tenth = 1; tenth <= 10; tenth++) {
                System.out.println(process.expect("part " + tenth + ":", Deadline.in(30, TimeUnit.MINUTES)));
            }
            assertThat(process.expect("received")).isEqualTo(Long.toString(MESSAGES / 2));
            process.awaitEnd();
        }
    }

    /** Sends and receives as fast as there is room. */
    static final class Soak implements Scenario {
        private static final int DISPATCH = 6;
        private static final int LENGTH = 32;
        private static final int BATCH = 256;
        private static final long GROWTH_KIB = 16 * 1024;

        private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
        private long sent;
        private long received;

        @Override
        public void run(ScenarioRun run) throws IOException {
            final long count = Long.parseLong(run.argument(0));
            try (Node node = run.join()) {
                final Context context = node.client().context();
                context.handler(DISPATCH, (source, buffer, m, ml, payload, length) -> {
                    for (int i = 0; i < LENGTH; i += Long.BYTES) {
                        if (length != LENGTH || buffer.getLong(payload + i) != word(received, i)) {
                            throw new IllegalStateException("message " + received + " of " + length + " bytes is "
                                    + buffer.getLong(payload) + ", word " + i + " is " + buffer.getLong(payload + i));
                        }
                    }
                    received++;
                });
                context.barrier(ScenarioRun.deadline());
                Held early = null;
                for (int tenth = 1; tenth <= 10; tenth++) {
                    exchange(context, 1 - node.rank(), count * tenth / 10);
                    final Held now = Held.now();
                    run.print("part " + tenth + ": " + received + " received, " + now);
                    if (early == null) {
                        early = now;
                    }
                    now.requireNoMoreThan(early);
                }
                context.barrier(ScenarioRun.deadline());
                run.print("received " + received);
            }
        }

        private void exchange(Context context, int peer, long until) {
            long seen = received;
            long deadlineNs = ScenarioRun.deadline();
            final IdleStrategy idle = YieldingIdleStrategy.INSTANCE;
            while (sent < until || received < until) {
                send(context, peer, until);
                // A process without work yields the core to the other.
                idle.idle(context.advance());
                if (received != seen) {
                    seen = received;
                    deadlineNs = ScenarioRun.deadline();
                } else if (Deadline.reached(deadlineNs)) {
                    throw new IllegalStateException("no message arrives: " + sent + " sent, " + received + " received");
                }
            }
        }

        private void send(Context context, int peer, long until) {
            for (int i = 0; i < BATCH && sent < until; i++) {
                for (int at = 0; at < LENGTH; at += Long.BYTES) {
                    message.putLong(at, word(sent, at));
                }
                if (context.sendImmediate(peer, DISPATCH, message, 0, LENGTH) < 0) {
                    return;
                }
                sent++;
            }
        }

        /** Returns the number itself, then words in which each bit of the number changes many bits. */
        private static long word(long number, int at) {
            return at == 0 ? number : (number + at) * 0x9E37_79B9_7F4A_7C15L;
        }

        /**
         * Resources of a process.
         *
         * @param residentKiB memory, without mapped files
         * @param files open files
         * @param threads live threads
         */
        private record Held(long residentKiB, long files, int threads) {
            static Held now() throws IOException {
                System.gc();
                try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"));
                        Stream<String> status = Files.lines(Path.of("/proc/self/status"))) {
                    final long resident = status.filter(line -> line.startsWith("RssAnon:"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                            .findFirst()
                            .orElseThrow();
                    return new Held(
                            resident,
                            open.count(),
                            ManagementFactory.getThreadMXBean().getThreadCount());
                }
            }

            void requireNoMoreThan(Held early) {
                if (residentKiB > early.residentKiB + GROWTH_KIB || files > early.files || threads > early.threads) {
                    throw new IllegalStateException("grown from " + early + " to " + this);
                }
            }
        }
    }
}
