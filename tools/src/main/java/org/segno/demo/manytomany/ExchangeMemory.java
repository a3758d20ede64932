package org.segno.demo.manytomany;

import org.agrona.BitUtil;
import org.segno.context.Client;
import org.segno.demo.manytomany.ManyToManyExchange.PieceLists;
import org.segno.demo.manytomany.ManyToManyExchange.Windows;
import org.segno.node.NodeConfig;

/** Memory of a node for its exchanges, which share their windows. Used by one thread. */
public final class ExchangeMemory {
    private static final int DESCRIPTOR_BYTES = 64;

    /** Descriptors of a phase in addition to its pieces: those of barriers, sums and ARMs. */
    private static final int OTHER_DESCRIPTORS = 64;

    /** Bytes of a many-to-many exchange, for each rank and piece. */
    private static final int PLAN_BYTES = 16;

    private static final int ALIGNMENT_BYTES = 4_096;

    private final int size;
    private int mostPieces;
    private long descriptors;
    private long planBytes;
    private long mostSent;
    private long mostReceived;

    /** Creates the memory of a rank in a job of {@code size} ranks, without any exchange. */
    public ExchangeMemory(int size) {
        this.size = size;
    }

    /** Adds the needs of one more exchange. */
    public ExchangeMemory with(PieceLists lists) {
        mostPieces = Math.max(mostPieces, lists.sent().count());
        descriptors += lists.sent().count() + size + OTHER_DESCRIPTORS;
        mostSent = Math.max(mostSent, lists.sent().bytes());
        mostReceived = Math.max(mostReceived, lists.received().bytes());
        planBytes += (long) PLAN_BYTES
                        * (size + lists.received().count() + lists.sent().count())
                + ALIGNMENT_BYTES;
        // The discovery of landing offsets exchanges at most one piece with each rank.
        planBytes += LandingOffsets.windowBytes(lists) + 3L * PLAN_BYTES * size + ALIGNMENT_BYTES;
        return this;
    }

    /**
     * Returns the node's settings: a FIFO for a whole phase and no larger, because slots that are reused soon are still
     * in the cache.
     */
    public NodeConfig nodeConfig() {
        final int slots = BitUtil.findNextPositivePowerOfTwo(mostPieces + OTHER_DESCRIPTORS);
        return NodeConfig.defaults()
                .withFifoSlots(slots)
                .withPatternBufferBytes(DESCRIPTOR_BYTES * (descriptors + OTHER_DESCRIPTORS));
    }

    /** Returns the bytes of windows for all exchanges. */
    public long windowBytes() {
        return planBytes + mostSent + 2 * mostReceived + ALIGNMENT_BYTES;
    }

    /** Returns the windows that all exchanges share. */
    public Windows windows(Client client) {
        return new Windows(client.window(mostSent), client.window(2 * mostReceived));
    }
}
