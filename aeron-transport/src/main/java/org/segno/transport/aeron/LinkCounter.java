package org.segno.transport.aeron;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;

/**
 * Counter of one link, in the counters file of its driver. Its value is the number of frames that had no room, its
 * label has the addresses, and its key the rest:
 *
 * <pre>
 *  offset  length  field     meaning
 *       0       4  node      rank of this process
 *       4       4  peer      the other rank
 *       8       4  engine    of both
 *      12       4  mtu       bytes of the payload of the longest datagram
 *      16       4  incoming  Aeron's session of what the peer sends
 *      20       4  outgoing  Aeron's session of what this end sends; 0 until it knows the peer's address
 * </pre>
 *
 * <p>Aeron's own counters of streams have the same sessions in their keys. Made and changed within turns of the driver.
 */
final class LinkCounter {
    /** Aeron's type of these counters. */
    static final int TYPE_ID = 7_302;

    private static final int NODE = 0;
    private static final int PEER = 4;
    private static final int ENGINE = 8;
    private static final int MTU = 12;
    private static final int INCOMING = 16;
    private static final int OUTGOING = 20;

    private final AtomicCounter counter;

    private LinkCounter(AtomicCounter counter) {
        this.counter = counter;
    }

    static LinkCounter make(CountersManager manager, AeronEnd end, LinkAccess incoming, AeronAddress address) {
        return new LinkCounter(manager.newCounter(address.endpoint(), TYPE_ID, key -> {
            key.putInt(NODE, end.node());
            key.putInt(PEER, end.peer());
            key.putInt(ENGINE, end.engine());
            key.putInt(MTU, incoming.sizes().mtu());
            key.putInt(INCOMING, incoming.key().session());
            key.putInt(OUTGOING, 0);
        }));
    }

    /** Shows that the end sends to the peer's address. */
    void connected(LinkKey outgoing, AeronAddress peer) {
        counter.updateKey(key -> key.putInt(OUTGOING, outgoing.session()));
        counter.appendToLabel(" to " + peer.endpoint());
    }

    /** Counts a frame that had no room. */
    void backPressured() {
        counter.increment();
    }

    /** Frees the counter. */
    void close() {
        counter.close();
    }

    static AeronEnd end(DirectBuffer key) {
        return new AeronEnd(key.getInt(NODE), key.getInt(PEER), key.getInt(ENGINE));
    }

    static int mtu(DirectBuffer key) {
        return key.getInt(MTU);
    }

    static int incoming(DirectBuffer key) {
        return key.getInt(INCOMING);
    }

    static int outgoing(DirectBuffer key) {
        return key.getInt(OUTGOING);
    }
}
