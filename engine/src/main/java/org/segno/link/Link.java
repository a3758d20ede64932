package org.segno.link;

import org.segno.engine.packet.Packet;

/**
 * This node's end of a link to a node without mapped memory. It carries packets reliably and in order within each
 * virtual channel, or it has failed. It is bounded: a full link accepts no further packet. Used by the engine's thread;
 * no method blocks.
 */
public interface Link extends AutoCloseable {
    /** Returns the rank at the other end. */
    int rank();

    /** Returns the state, which shows whether the link carries packets. */
    LinkState state();

    /** Returns the number of packets that {@code channel} accepts at present. */
    int room(int channel);

    /** Returns the number of packets that {@code channel} accepts when it is empty. */
    int capacity();

    /**
     * Returns the place of the next packet of {@code channel}, which must have {@link #room}. The caller writes the
     * packet and then {@link #publish}es it. An unpublished packet is not sent.
     */
    Packet claim(int channel);

    /** Sends the packet that was claimed last in {@code channel}. */
    void publish(int channel);

    /**
     * Passes received packets of {@code channel} to the handler, at most {@code limit}.
     *
     * @return the number of accepted packets
     */
    int poll(int channel, PacketHandler handler, int limit);

    /** Ends the link at both ends. Received packets may still be polled. */
    @Override
    void close();
}
