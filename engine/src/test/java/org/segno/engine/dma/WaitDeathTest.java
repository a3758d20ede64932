package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.HookedMemory;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.reuse.CounterGroup;
import org.segno.engine.writer.DescriptorWriter;
import org.segno.memory.ReceptionCounter;
import org.segno.status.Refusal;

/** The last bytes land, and their sender dies, between the two loads of a WAIT. */
class WaitDeathTest {
    @TempDir
    Path directory;

    @Test
    void shouldNotFailAWaitWhoseDataHaveLandedBeforeTheirSenderDied() {
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().fifos(3).dimensions())) {
            final NodeMemory own = nodes.own(0);
            final HookedMemory arena = new HookedMemory(own.arena());
            final NodeMemory hooked = new NodeMemory(0, own.layout(), own.owner(), own.peers(), arena);
            final PeerStates states = new PeerStates(own);
            final NodeMetrics metrics = new NodeMetrics(own, 0);
            final Landing[] landings = {new Landing(hooked, 0, states, metrics), null};
            final DmaEngine engine = new DmaEngine(hooked, landings, metrics, new ErrorLog(own));
            final ReceptionCounter counter = new CounterGroup(own).bare(1);
            counter.expect(8);
            final InjectionFifoProducer fifo = InjectionFifoProducer.open(own, 0, 0);
            for (int i = 0; i < 4; i++) {
                engine.doWork();
            }
            // Rank 1 lands its 8 bytes, and dies: its hub connection ends after that.
            final Landing ofPeer =
                    new Landing(nodes.asPeer(0), 1, new PeerStates(nodes.own(1)), new NodeMetrics(nodes.own(1), 0));
            arena.after(own.receptionValueOffset(counter.id()), 1, () -> {
                assertThat(ofPeer.count(counter.id(), counter.incarnation(), -8))
                        .isZero();
                states.change(1, PeerStates.DEAD);
            });
            final long slot = fifo.claim();
            new DescriptorWriter(own.owner()).waitUntil(slot, counter, 0);
            fifo.publish();
            for (int i = 0; i < 100; i++) {
                engine.doWork();
            }
            assertThat(counter.valueAcquire()).isZero();
            assertThat(fifo.metadata().fill()).isZero();
            assertThat(metrics.get(Refusal.PEER_DEAD))
                    .as("WAITs that have failed")
                    .isZero();
        }
    }
}
