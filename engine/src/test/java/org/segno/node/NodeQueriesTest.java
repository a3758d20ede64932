package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;

/** Queries of a node, compared with what the node then does. */
@Timeout(60)
@OverMemoryAndLinks
class NodeQueriesTest {
    @TempDir
    Path parent;

    private static NodeConfig config(Threading threading) {
        return SmallNodes.config(threading, 2)
                .withContexts(2)
                .withEngines(3)
                .withFifos(5)
                .withCounters(7, 9)
                .withLaneBudgetBytes(1 << 20)
                .withImmediateLimitBytes(16)
                .withEagerLimitBytes(1000);
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    @MappedOnly(MappedOnly.NAMES_MAPPED)
    void shouldReportThePlaceAndTheEngines(Threading threading) {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(threading))) {
            for (int rank = 0; rank < 2; rank++) {
                final Node node = job.node(rank);
                assertThat(node.rank()).isEqualTo(rank);
                assertThat(node.size()).isEqualTo(2);
                assertThat(node.localRank()).isEqualTo(rank);
                assertThat(node.localSize()).isEqualTo(2);
                assertThat(node.mappedRanks()).containsExactly(0, 1);
                assertThat(node.threading()).isEqualTo(threading);
                // Under INVOKER there is one for each context.
                assertThat(node.engines()).isEqualTo(threading == Threading.INVOKER ? 2 : 3);
            }
        }
    }

    @Test
    void shouldReportTheThreadingThatTheHostDetermines() {
        final NodeConfig config = NodeConfig.defaults();
        try (InProcessJob job = InProcessJob.join(parent, 1, config)) {
            assertThat(job.node(0).threading()).isEqualTo(config.threading(1));
            assertThat(job.node(0).limits()).isEqualTo(NodeLimits.of(config.dimensions(1), config.messageLimits()));
        }
    }

    @Test
    void shouldReportThePlaceThatALauncherGave() {
        final JobConfig place =
                JobConfig.of("place", 0, 1).withDirectory(parent).withLocal(0, 1);
        try (Node node = Node.join(place, NodeConfig.defaults())) {
            assertThat(node.localRank()).isZero();
            assertThat(node.localSize()).isOne();
        }
    }

    @Test
    void shouldReportLimitsThatCanBeReachedAndNotExceeded() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(Threading.INVOKER))) {
            final NodeLimits limits = job.node(0).limits();
            final Client client = job.node(0).client();
            final Context context = client.context();

            assertThat(client.context(limits.contexts() - 1)).isNotNull();
            assertThatThrownBy(() -> client.context(limits.contexts())).isInstanceOf(IllegalArgumentException.class);
            // Besides the context's own FIFO and the one for sends of handlers.
            for (int opened = 2; opened < limits.fifos(); opened++) {
                context.injectionFifo();
            }
            assertThatThrownBy(context::injectionFifo).isInstanceOf(IllegalStateException.class);
            for (int opened = 0; opened < limits.injectionCounters(); opened++) {
                client.injectionCounter();
            }
            assertThatThrownBy(client::injectionCounter).isInstanceOf(IllegalStateException.class);
            final Window all = client.window(limits.windowBytes());
            assertThatThrownBy(() -> client.window(1)).isInstanceOf(IllegalArgumentException.class);
            for (int opened = limits.contexts(); opened < limits.receptionCounters(); opened++) {
                client.receptionCounter(all, 0, 8);
            }
            assertThatThrownBy(() -> client.receptionCounter(all, 0, 8)).isInstanceOf(IllegalStateException.class);
            for (int sent = 0; sent < limits.fifoSlots(); sent++) {
                assertThat(context.copy(all, 0, all, 8, 8)).isNotNegative();
            }
            assertThat(context.copy(all, 0, all, 8, 8)).isNegative();
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldReportTheLengthsOfMessages() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(Threading.INVOKER))) {
            final NodeLimits limits = job.node(0).limits();
            final Context context = job.context(0);
            final Window window = job.node(0).client().window(limits.windowBytes());
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[limits.metadataBytes() + limits.immediateBytes() + 1]);

            assertThat(context.sendImmediate(1, 1, bytes, 0, limits.immediateBytes()))
                    .isNotNegative();
            assertThatThrownBy(() -> context.sendImmediate(1, 1, bytes, 0, limits.immediateBytes() + 1))
                    .isInstanceOf(IllegalArgumentException.class);
            final Message message = new Message().to(1, 1).metadata(window, 0, limits.metadataBytes());
            assertThatThrownBy(() -> new Message().metadata(window, 0, limits.metadataBytes() + 1))
                    .isInstanceOf(IllegalArgumentException.class);
            // Both nodes have the same lanes.
            final long longest = context.longestFor(message);
            assertThat(longest).isEqualTo((long) limits.recordBytes() - limits.metadataBytes());
            assertThat(context.send(message.payload(window, 0, longest))).isNotNegative();
            assertThatThrownBy(() -> context.send(message.payload(window, 0, longest + 1)))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThat(limits.laneBytes()).isGreaterThanOrEqualTo(4 * limits.recordBytes());
            assertThat(limits.messages().immediateBytes()).isEqualTo(16);
            assertThat(limits.messages().eagerBytes()).isEqualTo(1000);
        }
    }
}
