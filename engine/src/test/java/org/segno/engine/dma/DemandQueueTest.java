package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.fifo.DueEvents;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeSize;

/** Any number of FIFOs is served in the order of their demand. */
class DemandQueueTest {
    private static final int FIFOS = 3 * DemandQueue.CAPACITY;

    private final DemandQueue queue = new DemandQueue();
    private MappedNodes nodes;
    private List<InjectionFifoConsumer> fifos;

    @BeforeEach
    void activate(@TempDir Path directory) {
        nodes = MappedNodes.create(
                directory, NodeSize.small().fifos(FIFOS + 1).fifoSlots(16).dimensions());
        fifos = new ArrayList<>();
        for (int fifo = 0; fifo < FIFOS; fifo++) {
            InjectionFifoProducer.open(nodes.own(0), 0, fifo);
            fifos.add(InjectionFifoConsumer.activate(
                    nodes.own(0), 0, new FifoMetadata(nodes.own(0), 0, fifo), new DueEvents()));
        }
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    @Test
    void shouldServeAllInTheOrderInWhichTheyFirstFoundNoRoom() {
        // The ring does not begin at its first place when it grows.
        for (int i = 0; i < 5; i++) {
            queue.await(fifos.get(i));
            queue.served(fifos.get(i));
        }
        for (int round = 0; round < 2; round++) {
            fifos.forEach(queue::await);
        }
        for (final InjectionFifoConsumer first : fifos) {
            for (final InjectionFifoConsumer other : fifos.subList(fifos.indexOf(first) + 1, FIFOS)) {
                assertThat(queue.isTurn(other)).isFalse();
            }
            assertThat(queue.isTurn(first)).isTrue();
            queue.served(first);
        }
        assertThat(queue.isTurn(fifos.get(7))).as("nobody waits").isTrue();
    }
}
