package org.segno.engine.landing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.doorbell.Doorbells;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.metrics.NodeMetrics;

class TargetBellsTest {
    @TempDir
    Path directory;

    private final List<Integer> rung = new ArrayList<>();
    private MappedNodes nodes;
    private Doorbells doorbells;
    private Arrivals arrivals;
    private TargetBells bells;

    @BeforeEach
    void make() {
        nodes = MappedNodes.create(directory, NodeSize.small().contexts(2).dimensions());
        final NodeMemory node = nodes.own(0);
        doorbells = Doorbells.make(node);
        arrivals = new Arrivals(node.owner(), (rank, context) -> rung.add(context), new NodeMetrics(node));
        bells = new TargetBells(node);
        bells.reportTo(arrivals);
    }

    @AfterEach
    void close() {
        doorbells.close();
        nodes.close();
    }

    @Test
    void shouldRingMarkedContextsThatPark() {
        doorbells.byContext().get(0).begin();
        doorbells.byContext().get(1).begin();

        bells.mark(1L << 1);
        arrivals.ring();

        assertThat(rung).containsExactly(1);
    }

    @Test
    void shouldRingNobodyAfterTheDoorbellsWereWithdrawn() {
        doorbells.byContext().get(1).begin();
        doorbells.withdraw();

        bells.mark(1L << 1);
        arrivals.ring();
        bells.mark(1L << 1);
        arrivals.ring();

        assertThat(rung).isEmpty();
    }
}
