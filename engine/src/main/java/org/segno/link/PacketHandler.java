package org.segno.link;

import org.segno.engine.packet.Packet;

/** Receiver of the packets of a link. */
@FunctionalInterface
public interface PacketHandler {
    /**
     * Receives a packet, which is valid until this method returns.
     *
     * @return false to receive it again later, before any other packet of its channel
     */
    boolean onPacket(Packet packet);
}
