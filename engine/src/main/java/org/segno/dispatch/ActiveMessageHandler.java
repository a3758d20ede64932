package org.segno.dispatch;

import org.agrona.DirectBuffer;

/**
 * Takes active messages of one dispatch id, in place, on the thread that advances the context.
 *
 * <p>The buffer is the reception lane itself: it is valid until the handler returns, and what a peer writes there is not to be
 * trusted. A handler does not block, does not advance the context and does not send; one that sends is
 * a {@link ReplyingHandler}.
 */
@FunctionalInterface
public interface ActiveMessageHandler {
    /**
     * A message has come.
     *
     * @param source rank that sent it
     * @param buffer holds metadata and payload, in the machine's byte order
     * @param metadataOffset where the metadata begin
     * @param metadataLength bytes, 0 to 24
     * @param payloadOffset where the payload begins
     * @param payloadLength bytes, zero or more
     */
    void onMessage(
            int source,
            DirectBuffer buffer,
            int metadataOffset,
            int metadataLength,
            int payloadOffset,
            int payloadLength);
}
