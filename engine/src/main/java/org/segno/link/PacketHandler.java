package org.segno.link;

import org.segno.packet.Packet;

/** Takes what a link brings. */
@FunctionalInterface
public interface PacketHandler {
    /**
     * A packet has come; it is valid until this returns.
     *
     * @return false to have it again later, with nothing of its channel before it
     */
    boolean onPacket(Packet packet);
}
