package org.segno.link;

import org.segno.packet.Packet;

/**
 * This node's end of a link to a node whose memory is not mapped: carries packets, reliably and in order within each virtual
 * channel, or has failed. Bounded: one that is full takes no more. Used by one thread, the engine's; nothing blocks.
 */
public interface PacketLink extends AutoCloseable {
    /** The rank at the other end. */
    int rank();

    /** Whether it carries packets. */
    LinkState state();

    /** How many packets {@code channel} takes now. */
    int room(int channel);

    /** How many packets {@code channel} takes when it is empty. */
    int capacity();

    /**
     * The place of the next packet of {@code channel}, in which there is {@link #room}: to be written, and then {@link #publish}ed.
     * Nothing is sent of one that is not.
     */
    Packet claim(int channel);

    /** Sends the packet that was claimed last in {@code channel}. */
    void publish(int channel);

    /**
     * Hands over packets of {@code channel} that have come, at most {@code limit}.
     *
     * @return how many were taken
     */
    int poll(int channel, PacketHandler handler, int limit);

    /** Ends the link at both ends. What has come may still be polled. */
    @Override
    void close();
}
