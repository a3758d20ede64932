package org.segno.dispatch;

import org.agrona.DirectBuffer;

/**
 * Takes active messages of one dispatch id as {@link ActiveMessageHandler} does, and may send: answers, or whatever else follows from
 * the message. What it sends goes through the context that calls it, and travels apart from all other messages: in a FIFO of its own,
 * and at its target in small lanes that are read first, whose handlers may not send. So a flood of requests both ways is held back and
 * never locks up, and memory does not grow.
 */
@FunctionalInterface
public interface ReplyingHandler {
    /**
     * A message has come. It sends first, and does what it has to do once that was taken.
     *
     * @param source rank that sent it
     * @param buffer holds metadata and payload, in the machine's byte order; valid until this returns
     * @param metadataOffset where the metadata begin
     * @param metadataLength bytes, 0 to 24
     * @param payloadOffset where the payload begins
     * @param payloadLength bytes, zero or more
     * @return zero or more when the message is dealt with; below zero, as a send answers that found no room
     *     ({@link org.segno.status.Status#BACK_PRESSURED}, {@link org.segno.status.Status#AGAIN}), to be given it again in a later
     *     {@code advance}: until then its lane waits, and no other
     */
    long onMessage(
            int source,
            DirectBuffer buffer,
            int metadataOffset,
            int metadataLength,
            int payloadOffset,
            int payloadLength);
}
