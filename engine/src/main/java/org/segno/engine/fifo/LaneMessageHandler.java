package org.segno.engine.fifo;

import org.agrona.DirectBuffer;

/** Receiver of the messages of one dispatch id that accepts each, called in place on the thread that polls the lane. */
@FunctionalInterface
public interface LaneMessageHandler {
    /**
     * Receives a message.
     *
     * @param origin endpoint that sent it
     * @param buffer the lane; valid until this method returns
     * @param metadataOffset offset of the metadata in the buffer
     * @param metadataLength bytes, 0 to 128
     * @param payloadOffset offset of the payload in the buffer
     * @param payloadLength bytes, zero or more
     */
    void onMessage(
            long origin,
            DirectBuffer buffer,
            int metadataOffset,
            int metadataLength,
            int payloadOffset,
            int payloadLength);
}
