package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.status.Deadline;
import org.segno.status.Status;

/** Two processes that send to each other as fast as they can, through the smallest lanes. */
class FloodTest {
    private static final int DISPATCH = 5;
    private static final int MESSAGES = 50_000;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @CsvSource({"INVOKER, INVOKER", "INVOKER, DEDICATED"})
    void shouldNeverDeadlockWhenBothSidesFloodEachOther(Threading first, Threading second) {
        flood(first, second);
    }

    @Test
    @Tag("long")
    void shouldNeverDeadlockWhenBothSidesFloodEachOtherByThreadsOfTheirOwn() {
        flood(Threading.DEDICATED, Threading.DEDICATED);
    }

    private void flood(Threading first, Threading second) {
        final JobConfig job = pool.job("flood", 2);
        final TestProcess left = pool.start(Flood.class, job, first, 0);
        final TestProcess right = pool.start(Flood.class, job, second, 1);

        assertThat(left.expect("received")).isEqualTo(Integer.toString(MESSAGES));
        assertThat(right.expect("received")).isEqualTo(Integer.toString(MESSAGES));
        left.awaitEnd();
        right.awaitEnd();
    }

    /** Sends until back pressure, and only then polls for received messages. */
    static final class Flood implements Scenario {
        private static final int LANE_BYTES = 4096;
        private static final int LONGEST = LANE_BYTES / 4 - 8 - 8;

        private final UnsafeBuffer value = new UnsafeBuffer(new byte[8]);
        private final Message message = new Message();
        private long sent;
        private long received;

        @Override
        public void run(ScenarioRun run) {
            try (Node node = Node.join(run.job(), run.config().withLaneBudgetBytes(2 * LANE_BYTES))) {
                final Context context = node.client().context();
                final Window window = node.client().window(LONGEST);
                final int peer = 1 - node.rank();
                context.handler(DISPATCH, (source, buffer, metadata, metadataLength, payload, payloadLength) -> {
                    if (buffer.getLong(metadata) != received || payloadLength != length(received)) {
                        throw new IllegalStateException("message " + received + " of " + payloadLength + " bytes is "
                                + buffer.getLong(metadata));
                    }
                    received++;
                });
                context.barrier(ScenarioRun.deadline());
                final IdleStrategy idle = YieldingIdleStrategy.INSTANCE;
                final long deadlineNs = Deadline.in(60, TimeUnit.SECONDS);
                while (sent < MESSAGES) {
                    send(context, window, peer);
                    if (Deadline.reached(deadlineNs)) {
                        throw new IllegalStateException("locked up: " + sent + " sent, " + received + " received");
                    }
                    // The engine of a dedicated thread needs a core as well.
                    idle.idle(context.advance());
                }
                context.await(() -> received == MESSAGES, ScenarioRun.deadline());
                context.barrier(ScenarioRun.deadline());
                run.print("received " + received);
            }
        }

        private void send(Context context, Window window, int peer) {
            long status = 0;
            while (status != Status.BACK_PRESSURED && sent < MESSAGES) {
                value.putLong(0, sent);
                message.to(peer, DISPATCH).metadata(value, 0, 8).payload(window, 0, length(sent));
                status = context.send(message);
                sent += status < 0 ? 0 : 1;
            }
        }

        /** Returns varying lengths, so that records end everywhere in the lane. */
        private static int length(long number) {
            return (int) (number * 37 % (LONGEST + 1));
        }
    }
}
