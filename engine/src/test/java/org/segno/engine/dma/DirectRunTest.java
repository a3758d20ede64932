package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.fifo.DirectExecution;
import org.segno.engine.fifo.Exclusion;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.RunRing;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.memory.RankTable;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.NodeMetrics;

/** Runs that the thread of an engine executes between two passes. */
class DirectRunTest {
    @TempDir
    Path directory;

    @Test
    void shouldExecuteNothingForAnEngineThatAnotherThreadHasLeftAtRest() {
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().fifos(3).dimensions())) {
            final NodeMemory own = nodes.own(0);
            final PeerStates states = new PeerStates(own);
            final NodeMetrics metrics = new NodeMetrics(own, 0);
            final Landing[] landings = {
                new Landing(own, 0, states, metrics), new Landing(nodes.asPeer(1), 0, states, metrics)
            };
            final DmaEngine engine = new DmaEngine(
                    new DmaEngine.Share(0, 1, true),
                    own,
                    DmaEngine.Reach.ofMemory(RankTable.of(landings)),
                    metrics,
                    new ErrorLog(own),
                    (rank, context) -> false);
            RunRing.open(own, 0, FifoMetadata.PERSISTENT);
            for (int i = 0; i < 40; i++) {
                engine.doWork();
            }
            // Another thread receives for a shared engine that makes no pass for long.
            final boolean[] rests = {false};
            final DirectExecution direct = engine.direct(
                    new Exclusion() {
                        @Override
                        public boolean tryBegin() {
                            if (rests[0]) {
                                engine.receive();
                                engine.rest();
                            }
                            return true;
                        }

                        @Override
                        public void end() {}
                    },
                    e -> {
                        throw new AssertionError(e);
                    });
            assertThat(direct.executeRun(0, 0, 0, 0, 1)).as("not at rest").isTrue();
            rests[0] = true;
            assertThat(direct.executeRun(0, 0, 0, 0, 2)).as("at rest").isFalse();
        }
    }
}
