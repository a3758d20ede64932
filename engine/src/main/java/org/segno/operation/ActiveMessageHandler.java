package org.segno.operation;

import org.agrona.DirectBuffer;
import org.segno.engine.fifo.LaneMessageHandler;

/**
 * Handler of the active messages of one dispatch id. It is called in place, on the thread that advances the context.
 *
 * <p>The buffer is the reception lane itself. It is valid until the handler returns, and its contents, which a peer
 * writes, must not be trusted. A handler does not block, does not advance the context and does not send. A handler that
 * sends is a {@link ReplyingHandler}.
 */
@FunctionalInterface
public interface ActiveMessageHandler extends LaneMessageHandler {
    /**
     * Receives a message.
     *
     * @param origin endpoint of the context that sent it, see {@link org.segno.geometry.Endpoint}
     * @param buffer buffer with metadata and payload, in the machine's byte order
     * @param metadataOffset offset of the metadata
     * @param metadataLength bytes, 0 to 128
     * @param payloadOffset offset of the payload
     * @param payloadLength bytes, zero or more
     */
    @Override
    void onMessage(
            long origin,
            DirectBuffer buffer,
            int metadataOffset,
            int metadataLength,
            int payloadOffset,
            int payloadLength);
}
