package org.segno.operation;

import org.agrona.DirectBuffer;

/**
 * Handler of the active messages of one dispatch id, as {@link ActiveMessageHandler} is, that may send replies or other
 * messages. Its sends go through the context that calls it and travel separately from all other messages. They use a
 * FIFO of their own, and small lanes at the target, which are read first. The handlers of messages in those lanes may
 * not send. A flood of requests in both directions is therefore throttled and never deadlocks, and memory does not
 * grow.
 */
@FunctionalInterface
public interface ReplyingHandler {
    /**
     * Receives a message. An implementation sends first, and does its other work once the send was accepted.
     *
     * @param origin endpoint of the context that sent it, see {@link org.segno.geometry.Endpoint}
     * @param buffer buffer with metadata and payload, in the machine's byte order; valid until this method returns
     * @param metadataOffset offset of the metadata
     * @param metadataLength bytes, 0 to 128
     * @param payloadOffset offset of the payload
     * @param payloadLength bytes, zero or more
     * @return zero or more when the message is handled; below zero, like the result of a send that found no room
     *     ({@link org.segno.status.Status#BACK_PRESSURED}, {@link org.segno.status.Status#AGAIN}), to receive it again
     *     in a later {@code advance}; until then only its lane waits
     */
    long onMessage(
            long origin,
            DirectBuffer buffer,
            int metadataOffset,
            int metadataLength,
            int payloadOffset,
            int payloadLength);
}
