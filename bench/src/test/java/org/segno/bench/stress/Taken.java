package org.segno.bench.stress;

import org.agrona.DirectBuffer;
import org.segno.engine.fifo.RecordHandler;

/** Records that a lane has delivered: their numbers, and two words of the first message. */
final class Taken implements RecordHandler {
    int messages;
    int events;
    int first;
    int second;
    int sum;

    @Override
    public boolean onMessage(long origin, int id, DirectBuffer buffer, int offset, int metadataLength, int length) {
        final int word = (int) buffer.getLong(offset);
        if (messages++ == 0) {
            first = word;
            second = (int) buffer.getLong(offset + Long.BYTES);
        }
        sum += word;
        return true;
    }

    @Override
    public void onEvent(int counter) {
        events++;
    }

    @Override
    public void onFifoEvent(int number) {
        throw new IllegalStateException("an event of FIFO " + number);
    }

    @Override
    public void onQuarantine(int origin) {
        throw new IllegalStateException("the lane of rank " + origin + " is bad");
    }
}
