package org.segno.message;

import org.agrona.DirectBuffer;
import org.segno.operation.ActiveMessageHandler;

/**
 * Handler for the messages of one dispatch id, on the thread that advances the context. It processes short messages in
 * place, as any {@link ActiveMessageHandler} does, and chooses the location at which a long message lands.
 */
public interface MessageHandler extends ActiveMessageHandler {
    /**
     * Handles the announcement of a long message. Its bytes are still at the sender. To decline the message, leave
     * {@code place} unset; its sender is notified of a failure. An exception also declines the message, regardless of
     * {@code place}, and is thrown by {@code advance}, once.
     *
     * @param origin endpoint of the context that sent it, see {@link org.segno.geometry.Endpoint}
     * @param buffer holds its metadata; valid until this returns
     * @param metadataOffset offset of the metadata
     * @param metadataLength bytes, 0 to 128
     * @param length bytes of the payload
     * @param place receives the location and the completion of the message
     * @return false to be called again in a later {@code advance}, when a location may be available; until then the
     *     lane of that sender waits
     */
    boolean onLongMessage(
            long origin, DirectBuffer buffer, int metadataOffset, int metadataLength, long length, LandingPlace place);
}
