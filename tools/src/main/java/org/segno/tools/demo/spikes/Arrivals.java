package org.segno.tools.demo.spikes;

import org.agrona.DirectBuffer;
import org.segno.dispatch.ActiveMessageHandler;

/** What has been heard in a step: how many spikes, the numbers of their cells, and those times when they fired. One thread. */
final class Arrivals implements ActiveMessageHandler {
    /** Of a spike's metadata: the cell, then the time. */
    static final int TIME_OFFSET = 8;

    /** Bytes of a spike's metadata. */
    static final int SPIKE_BYTES = 16;

    private long count;
    private long cells;
    private long cellTimes;

    @Override
    public void onMessage(
            int source,
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

    /** Nothing has been heard yet. */
    void reset() {
        count = 0;
        cells = 0;
        cellTimes = 0;
    }

    /** As if one cell had been another one. */
    void corrupt() {
        cells++;
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
