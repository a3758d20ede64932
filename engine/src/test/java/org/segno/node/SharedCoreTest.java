package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.work.ParkingIdle;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/** Waits of a thread that shares its core with the rank that it waits for. That rank runs in its pauses. */
@Timeout(120)
class SharedCoreTest {
    private static final int ID = 1;

    @TempDir
    Path parent;

    private final OtherRank other = new OtherRank();
    private final UnsafeBuffer word = new UnsafeBuffer(new byte[8]);
    private final List<Long> received = new ArrayList<>();

    /** Idle strategy of rank 0. A pause executes what rank 1 does meanwhile. */
    private static final class OtherRank implements ParkingIdle {
        private Runnable step = () -> {};
        private int pauses;

        @Override
        public void idle(int work) {
            if (work == 0) {
                idle();
            }
        }

        @Override
        public void idle() {
            pauses++;
            step.run();
        }

        @Override
        public boolean isParkDue() {
            return false;
        }

        @Override
        public long nextParkNs() {
            throw new IllegalStateException("no park is due");
        }

        @Override
        public void reset() {
            // All pauses are alike.
        }
    }

    private InProcessJob join() {
        final NodeConfig config = SmallNodes.config(Threading.INVOKER, 2);
        final InProcessJob job = InProcessJob.join(parent, List.of(config.withIdle(() -> other), config));
        job.context(0)
                .handler(
                        ID,
                        (origin, buffer, metadata, metadataLength, payload, length) ->
                                received.add(buffer.getLong(metadataLength == 0 ? payload : metadata)));
        return job;
    }

    /** Lets rank 1 put a word to a counter of rank 0 in the pauses of rank 0, and send a message now. */
    private ReceptionCounter awaited(InProcessJob job) {
        final Window landing = job.node(0).client().window(8);
        final ReceptionCounter counter =
                job.node(0).client().receptionCounter(landing, 0, 8, ReceptionCounter.ANYBODY, Right.PUT);
        job.node(0).client().publish("in", counter);
        final Window source = job.node(1).client().window(8);
        final Context peer = job.context(1);
        final Target in = peer.attach(0, "in", InProcessJob.deadline());
        job.settle();
        word.putLong(0, 7);
        peer.sendImmediate(0, ID, word, 0, 8);
        peer.advance();
        other.pauses = 0;
        other.step = () -> {
            peer.put(in, 0, source, 0, 8);
            peer.advance();
        };
        return counter;
    }

    @Test
    void shouldPauseBeforeTheFirstPassOfAWaitForARoundThatWasBegun() {
        try (InProcessJob job = join()) {
            final ReceptionCounter counter = awaited(job);
            final Context context = job.context(0);
            final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
                context.expect(counter, 8);
                context.waitUntil(counter, 0);
            });
            final Runnable put = other.step;
            other.step = () -> {
                // A pass would have read the message.
                assertThat(received).isEmpty();
                put.run();
            };

            context.run(pattern, InProcessJob.deadline());

            other.step = () -> {};
            assertThat(other.pauses).isEqualTo(1);
            assertThat(received).containsExactly(7L);
        }
    }

    @Test
    void shouldContinueARoundOfMoreThanAQuantumWithoutAPause() {
        try (InProcessJob job = join()) {
            final Window source = job.node(0).client().window(64);
            final Window landing = job.node(1).client().window(64);
            job.node(1)
                    .client()
                    .publish(
                            "in",
                            job.node(1).client().receptionCounter(landing, 0, 64, ReceptionCounter.ANYBODY, Right.PUT));
            final Context context = job.context(0);
            final Target in = context.attach(1, "in", InProcessJob.deadline());
            final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
                for (int i = 0; i < 8; i++) {
                    context.put(in, 8L * i, source, 8L * i, 8);
                }
            });
            context.persistentFifo().quantum(1 << 20, 3);
            job.settle();
            source.buffer().putLong(56, 42);
            other.pauses = 0;

            context.run(pattern, InProcessJob.deadline());

            assertThat(other.pauses).isZero();
            assertThat(landing.buffer().getLong(56)).isEqualTo(42);
        }
    }

    @Test
    void shouldPauseAfterTheFirstPassOfAWaitForACounter() {
        try (InProcessJob job = join()) {
            final ReceptionCounter counter = awaited(job);
            final Context context = job.context(0);
            context.advance();
            final int[] passes = new int[1];
            context.post(() -> {
                passes[0]++;
                return Status.AGAIN;
            });
            final Runnable put = other.step;
            other.step = () -> {
                assertThat(passes[0]).isEqualTo(1);
                put.run();
            };
            counter.expect(8);

            context.await(counter, InProcessJob.deadline());

            other.step = () -> {};
            assertThat(other.pauses).isEqualTo(1);
        }
    }
}
