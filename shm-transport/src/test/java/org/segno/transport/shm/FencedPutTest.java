package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.geometry.Endpoint;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/**
 * PUTs before a fence: they are visible at their target when the handler of a message that was sent after the fence
 * runs.
 */
class FencedPutTest {
    private static final int FENCED = 5;
    private static final int NEXT = 6;
    private static final int ROUNDS = 500;

    /** Each FIFO, and the pattern, fills a part of the target. */
    private static final int PARTS = 3;

    private static final int PART = 16_000;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @CsvSource({"INVOKER, INVOKER", "DEDICATED, INVOKER"})
    void shouldBeVisibleToTheHandlerOfTheMessageAfterTheFence(Threading putter, Threading target) {
        final JobConfig job = pool.job("fenced", 2);
        final TestProcess first = pool.start(Putter.class, job, putter, 0);
        final TestProcess second = pool.start(Checker.class, job, target, 1);

        first.awaitEnd();
        assertThat(second.expect("checked")).isEqualTo(Integer.toString(ROUNDS));
        second.awaitEnd();
    }

    /** Puts through two FIFOs and a pattern, fences, and sends the number of the round. */
    static final class Putter implements Scenario {
        private long requested;

        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Client client = node.client();
                final Context context = client.context();
                final Window source = client.window((long) PARTS * PART);
                final InjectionFifo other = context.injectionFifo();
                final UnsafeBuffer number = new UnsafeBuffer(new byte[Long.BYTES]);
                final SplittableRandom random = new SplittableRandom(3);
                context.handler(NEXT, (from, buffer, m, ml, p, pl) -> requested = buffer.getLong(p));
                final Target target = context.attach(1, "target", ScenarioRun.deadline());
                final Pattern pattern = context.prepare(
                        Rounds.ORDERED_BY_CALLER, () -> context.put(target, 2L * PART, source, 2L * PART, PART));
                context.barrier(ScenarioRun.deadline());
                for (int round = 1; round <= ROUNDS; round++) {
                    source.buffer().setMemory(0, PARTS * PART, (byte) round);
                    other.put(target, PART, source, PART, PART);
                    int at = 0;
                    while (at < PART) {
                        final int length = Math.min(PART - at, 1 + random.nextInt(PART / 8));
                        while (context.put(target, at, source, at, length) == Status.BACK_PRESSURED) {
                            context.advance();
                        }
                        at += length;
                    }
                    assertThat(context.replay(pattern)).isEqualTo(round);
                    if (round % 2 == 0) {
                        context.fence(ScenarioRun.deadline());
                    } else {
                        context.fence(Endpoint.of(1, 0, 0, 0), ScenarioRun.deadline());
                    }
                    number.putLong(0, round);
                    // Only the fence keeps this message from overtaking the PUTs of the other FIFO and of the pattern.
                    context.sendImmediate(1, FENCED, number, 0, Long.BYTES);
                    final long awaited = round;
                    context.await(() -> requested == awaited, ScenarioRun.deadline());
                }
                context.barrier(ScenarioRun.deadline());
            }
        }
    }

    /** Checks every byte when the message of a round arrives. */
    static final class Checker implements Scenario {
        private long checked;

        @Override
        public void run(ScenarioRun run) {
            try (Node node = run.join()) {
                final Client client = node.client();
                final Context context = client.context();
                final Window window = client.window((long) PARTS * PART);
                final UnsafeBuffer number = new UnsafeBuffer(new byte[Long.BYTES]);
                client.publish("target", client.receptionCounter(window, 0, window.length()));
                context.replyingHandler(FENCED, (from, buffer, m, ml, p, pl) -> {
                    final long round = buffer.getLong(p);
                    for (int i = 0; i < PARTS * PART; i++) {
                        if (window.buffer().getByte(i) != (byte) round) {
                            throw new IllegalStateException("byte " + i + " of round " + round + " is "
                                    + window.buffer().getByte(i));
                        }
                    }
                    checked = round;
                    number.putLong(0, round);
                    return context.sendImmediate(from, NEXT, number, 0, Long.BYTES);
                });
                context.barrier(ScenarioRun.deadline());
                context.await(() -> checked == ROUNDS, ScenarioRun.deadline());
                context.barrier(ScenarioRun.deadline());
                run.print("checked " + checked);
            }
        }
    }
}
