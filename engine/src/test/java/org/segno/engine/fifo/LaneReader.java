package org.segno.engine.fifo;

import java.util.ArrayDeque;
import java.util.Queue;
import org.agrona.DirectBuffer;
import org.segno.geometry.Endpoint;

/** Handler that receives the records of a lane, checks that they lie inside the lane, and keeps their contents. */
final class LaneReader implements RecordHandler {
    private static final int MAX_METADATA = 128;

    /**
     * Received record.
     *
     * @param origin rank of its writer
     * @param id dispatch id, or the counter of an event
     * @param metadataLength bytes, or -1 for an event
     * @param payloadLength bytes
     * @param sum of all bytes with their places
     */
    record Seen(int origin, int id, int metadataLength, int payloadLength, long sum) {}

    final Queue<Seen> seen = new ArrayDeque<>();
    int quarantines;

    @Override
    public boolean onMessage(
            long origin,
            int dispatchId,
            DirectBuffer buffer,
            int metadataOffset,
            int metadataLength,
            int payloadLength) {
        final long end = (long) metadataOffset + metadataLength + payloadLength;
        if (metadataOffset < 0
                || metadataLength < 0
                || metadataLength > MAX_METADATA
                || payloadLength < 0
                || end > buffer.capacity()) {
            throw new AssertionError("outside the lane of " + buffer.capacity() + " bytes: metadataOffset="
                    + metadataOffset + " metadataLength=" + metadataLength + " payloadLength=" + payloadLength);
        }
        long sum = 0;
        for (int i = 0; i < metadataLength + payloadLength; i++) {
            sum = sum * 31 + buffer.getByte(metadataOffset + i);
        }
        seen.add(new Seen(Endpoint.task(origin), dispatchId, metadataLength, payloadLength, sum));
        return true;
    }

    @Override
    public void onFifoEvent(int number) {
        seen.add(new Seen(-2, number, -1, 0, 0));
    }

    @Override
    public void onEvent(int counter) {
        seen.add(new Seen(-1, counter, -1, 0, 0));
    }

    @Override
    public void onQuarantine(int origin) {
        quarantines++;
    }
}
