package org.segno.engine.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.status.Refusal;

class MetricLayoutTest {
    private static final int REFUSALS = 1024;
    private static final int APPLICATION = 2048;

    @TempDir
    Path directory;

    @Test
    void shouldGiveEveryCountItsOwnWordInItsWritersBlock() {
        final Set<Integer> offsets = new HashSet<>();
        for (final Metric metric : Metric.values()) {
            final boolean engine = metric.compareTo(Metric.FAILED_RINGS) <= 0;
            assertThat(metric.offset())
                    .as(metric.name())
                    .isBetween(engine ? 0 : APPLICATION, (engine ? REFUSALS : NodeLayout.METRICS_LENGTH) - Long.BYTES);
            assertThat(metric.offset() % Long.BYTES).isZero();
            assertThat(offsets.add(metric.offset())).as(metric.name()).isTrue();
            assertThat(metric.meaning()).isNotBlank();
        }
        int expected = REFUSALS;
        for (final Refusal refusal : Refusal.values()) {
            assertThat(Metric.offset(refusal))
                    .as(refusal.name())
                    .isEqualTo(expected)
                    .isLessThan(APPLICATION);
            expected += Long.BYTES;
        }
    }

    @Test
    void shouldCountInMemoryThatAllProcessesRead() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NodeMemory node = nodes.own(0);
            final NodeMetrics metrics = new NodeMetrics(node);
            final NodeMetrics seenByPeer = new NodeMetrics(nodes.asPeer(0));
            long count = 0;
            for (final Metric metric : Metric.values()) {
                metrics.add(metric, ++count);
            }
            assertThat(metrics.add(Refusal.PEER_DEAD)).isZero();
            assertThat(metrics.add(Refusal.PEER_DEAD)).isEqualTo(1);

            final AtomicBuffer raw = node.owner().buffer(node.layout().offset(Part.METRICS), NodeLayout.METRICS_LENGTH);
            long expected = 0;
            for (final Metric metric : Metric.values()) {
                assertThat(raw.getLong(metric.offset())).isEqualTo(++expected);
                assertThat(seenByPeer.get(metric)).isEqualTo(expected);
            }
            assertThat(seenByPeer.get(Refusal.PEER_DEAD)).isEqualTo(2);
        }
    }

    /** The thread that publishes a loan in a lane and the one that receives for its engine may be different ones. */
    @Test
    void shouldCountLoansInWordsThatNoEngineWrites() {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NodeMemory node = nodes.own(0);
            final NodeMetrics metrics = new NodeMetrics(node);
            metrics.addServed(1, 10, 2);
            metrics.addLanded(100, 1);
            metrics.addLent(5);

            final AtomicBuffer raw = node.owner().buffer(node.layout().offset(Part.METRICS), NodeLayout.METRICS_LENGTH);
            assertThat(raw.getLong(Metric.BYTES.offset())).isEqualTo(110);
            assertThat(raw.getLong(Metric.RECORDS.offset())).isEqualTo(3);
            assertThat(raw.getLong(Metric.LENT_BYTES_OFFSET)).isEqualTo(5);
            assertThat(raw.getLong(Metric.LENT_RECORDS_OFFSET)).isEqualTo(1);
            assertThat(metrics.get(Metric.BYTES)).isEqualTo(115);
            assertThat(metrics.get(Metric.RECORDS)).isEqualTo(4);
        }
    }
}
