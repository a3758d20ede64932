package org.segno.demo.spikes;

import org.agrona.DirectBuffer;
import org.segno.operation.ActiveMessageHandler;

/**
 * Spikes received in a step: their number, the sum of their cells, and the sum of cells times firing times. Used by one
 * thread.
 */
final class ReceivedSpikes implements ActiveMessageHandler {
    /** Offset of the time in a spike's metadata, after the cell. */
    static final int TIME_OFFSET = 8;

    /** Bytes of a spike's metadata. */
    static final int SPIKE_BYTES = 16;

    private long count;
    private long cells;
    private long cellTimes;

    @Override
    public void onMessage(
            long source,
            DirectBuffer buffer,
            int metadataOffset,
            int metadataLength,
            int payloadOffset,
            int payloadLength) {
        final long cell = buffer.getLong(metadataOffset);
        count++;
        cells += cell;
        cellTimes += cell * buffer.getLong(metadataOffset + TIME_OFFSET);
    }

    /** Resets the counts for the next step. */
    void reset() {
        count = 0;
        cells = 0;
        cellTimes = 0;
    }

    long count() {
        return count;
    }

    long cells() {
        return cells;
    }

    long cellTimes() {
        return cellTimes;
    }
}
