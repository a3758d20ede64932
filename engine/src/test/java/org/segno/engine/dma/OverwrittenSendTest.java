package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.fifo.ReceptionFifo;
import org.segno.engine.fifo.RecordHandler;
import org.segno.engine.landing.Landing;
import org.segno.engine.memory.HookedMemory;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.NodeMetrics;

/** The target word of an immediate SEND is overwritten after it was checked, by that of the invalid one behind it. */
class OverwrittenSendTest {
    @TempDir
    Path directory;

    @Test
    void shouldUseTheLengthsThatWereChecked() {
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().fifos(3).dimensions())) {
            final NodeMemory own = nodes.own(0);
            final HookedMemory owner = new HookedMemory(own.owner());
            final NodeMemory hooked = new NodeMemory(0, own.layout(), owner, own.peers(), own.arena());
            final PeerStates states = new PeerStates(own);
            final NodeMetrics metrics = new NodeMetrics(own, 0);
            final Landing[] landings = {
                new Landing(hooked, 0, states, metrics), new Landing(nodes.asPeer(1), 0, states, metrics)
            };
            final DmaEngine engine = new DmaEngine(hooked, landings, metrics, new ErrorLog(own));
            final InjectionFifoProducer fifo = InjectionFifoProducer.open(own, 0, 0);
            for (int i = 0; i < 4; i++) {
                engine.doWork();
            }
            final long head = Descriptor.head(Operation.SEND, Descriptor.IMMEDIATE, 1);
            final long valid = Descriptor.messageTarget(5, 0, 8, 8);
            final long invalid = Descriptor.messageTarget(5, 0, 200, 8);
            final long first = fifo.claim();
            own.owner().putLong(first, head);
            own.owner().putLong(first + Descriptor.TARGET_OFFSET, valid);
            fifo.publish();
            final long second = fifo.claim();
            own.owner().putLong(second, head);
            own.owner().putLong(second + Descriptor.TARGET_OFFSET, invalid);
            // SendUnit.run reads the word first, runImmediate reads and checks it, runEqual reads it again.
            owner.after(
                    first + Descriptor.TARGET_OFFSET,
                    2,
                    () -> own.owner().putLong(first + Descriptor.TARGET_OFFSET, invalid));
            fifo.publish();
            for (int i = 0; i < 4; i++) {
                engine.doWork();
            }
            final int[] seen = new int[2];
            ReceptionFifo.of(nodes.own(1), 0).poll(counting(seen), 8);
            assertThat(seen[0]).as("messages").isEqualTo(1);
            assertThat(seen[1]).as("quarantined lanes of the receiver").isZero();
        }
    }

    /** Counts messages, and lanes in quarantine. */
    private static RecordHandler counting(int[] seen) {
        return new RecordHandler() {
            @Override
            public boolean onMessage(
                    long origin, int id, DirectBuffer buffer, int metadata, int metadataLength, int payloadLength) {
                seen[0]++;
                return true;
            }

            @Override
            public void onEvent(int counter) {}

            @Override
            public void onFifoEvent(int number) {}

            @Override
            public void onQuarantine(int origin) {
                seen[1]++;
            }
        };
    }
}
