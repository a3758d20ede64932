package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;

/**
 * Two ranks with two contexts each, with a messenger on every context. Their lanes have 4 KiB, so that a quarter of one
 * is soon full.
 */
final class MessengerPairs implements AutoCloseable {
    /** Bytes of metadata and payload that one record of a lane holds. */
    static final int LANE_QUARTER = 1016;

    /** The same for a rank that a link reaches. */
    static final int LINKED_LANE_HALF = 2040;

    final InProcessJob job;
    private final List<TestMessenger> all = new ArrayList<>();

    MessengerPairs(Path directory, int longest, UnaryOperator<NodeConfig> more) {
        job = InProcessJob.join(
                directory,
                2,
                more.apply(NodeConfig.defaults()
                        .withThreading(Threading.INVOKER)
                        .withContexts(2)
                        .withFifoSlots(64)
                        .withWindowBytes(2 * TestMessenger.windowBytes(longest) + 100_000)
                        .withLaneBudgetBytes(2 * 2 * 2 * 4096)));
        for (int rank = 0; rank < 2; rank++) {
            for (int context = 0; context < 2; context++) {
                all.add(new TestMessenger(
                        job.node(rank).client(), job.node(rank).client().context(context), longest));
            }
        }
    }

    TestMessenger of(int rank, int context) {
        return all.get(2 * rank + context);
    }

    /** Advances all until they have nothing to do. */
    void settle() {
        InProcessJob.settle(() -> {
            int work = 0;
            for (final TestMessenger one : all) {
                work += one.context.advance();
            }
            return work;
        });
    }

    /** Advances all until a condition holds, which the threads of engines may bring about. */
    void settleUntil(BooleanSupplier condition) {
        final long deadlineNs = InProcessJob.deadline();
        do {
            settle();
        } while (!condition.getAsBoolean() && !Deadline.reached(deadlineNs));
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Override
    public void close() {
        job.close();
    }
}
