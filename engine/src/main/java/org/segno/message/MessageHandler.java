package org.segno.message;

import org.agrona.DirectBuffer;
import org.segno.dispatch.ActiveMessageHandler;

/**
 * Takes the messages of one dispatch id, on the thread that advances the context: short ones in place, as any {@link ActiveMessageHandler}
 * does; of a long one it says where it shall land.
 */
public interface MessageHandler extends ActiveMessageHandler {
    /**
     * A long message is announced; its bytes still lie with the sender.
     *
     * @param source rank that sent it
     * @param buffer holds its metadata; valid until this returns
     * @param metadataOffset where they begin
     * @param metadataLength bytes, 0 to 24
     * @param length bytes of the payload
     * @param place to be told where they shall land and who hears of it; one that is told nothing declines the message, and its
     *     sender hears of that, as of one that throws, whatever it was told: that comes out of {@code advance}, once
     * @return false to be asked again in a later {@code advance}, when there may be a place: until then the lane of that sender waits
     */
    boolean onLongMessage(
            int source, DirectBuffer buffer, int metadataOffset, int metadataLength, long length, LandingPlace place);
}
