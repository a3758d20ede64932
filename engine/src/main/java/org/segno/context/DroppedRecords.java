package org.segno.context;

import org.agrona.DirectBuffer;
import org.segno.engine.fifo.RecordHandler;

/** Counter of the messages that are dropped from the lanes of a closed context. Events are dropped without a count. */
final class DroppedRecords implements RecordHandler {
    private int messages;

    /** Returns the number of messages dropped so far. */
    int messages() {
        return messages;
    }

    @Override
    public boolean onMessage(
            long origin,
            int dispatchId,
            DirectBuffer buffer,
            int metadataOffset,
            int metadataLength,
            int payloadLength) {
        messages++;
        return true;
    }

    @Override
    public void onEvent(int counter) {
        // The counter is closed, or its owner reads its value.
    }

    @Override
    public void onFifoEvent(int number) {
        // The FIFO is empty.
    }

    @Override
    public void onQuarantine(int origin) {
        // The lane is not read in the next use of the context either.
    }
}
