package org.segno.engine.fifo;

import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** Receiver of the records of a lane, called in place on the thread that polls the lane. */
public interface RecordHandler {
    /**
     * Returns the receiver of all messages with a dispatch id, or null if {@link #onMessage} receives them. Such a
     * receiver cannot refuse a message. This method is called before each message, because the receiver of one message
     * may register another receiver for the next one.
     */
    default @Nullable LaneMessageHandler handlerOf(int dispatchId) {
        return null;
    }

    /**
     * Receives a message for whose dispatch id {@link #handlerOf} returns null.
     *
     * @param origin endpoint that sent it
     * @param dispatchId as sent, 0 to 65,535
     * @param buffer the lane; valid until this method returns
     * @param metadataOffset offset of the metadata in the buffer; the payload follows them
     * @param metadataLength 0 to 128
     * @param payloadLength bytes
     * @return false to refuse the message: it and all later records stay in the lane, and the next poll delivers it
     *     again
     */
    boolean onMessage(
            long origin,
            int dispatchId,
            DirectBuffer buffer,
            int metadataOffset,
            int metadataLength,
            int payloadLength);

    /** Receives the event that a counter of this node was hit. */
    void onEvent(int counter);

    /**
     * Receives the event that the fill of one of this context's injection FIFOs has fallen below its threshold, or with
     * {@link LaneRecord#FREE_EVENT} that its number of free slots has reached one.
     */
    void onFifoEvent(int number);

    /**
     * Receives the notification, once, that the lane of {@code origin} holds an impossible record and is not read
     * again.
     */
    void onQuarantine(int origin);
}
