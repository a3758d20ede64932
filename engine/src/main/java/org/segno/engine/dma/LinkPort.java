package org.segno.engine.dma;

import org.segno.engine.landing.Landing;
import org.segno.engine.landing.PendingRequests;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.link.Link;
import org.segno.link.LinkState;
import org.segno.status.Refusal;

/**
 * A link and the engine's state for it: the open requests to the peer, and the injection counters of the messages sent
 * to it. Used only by the engine's thread.
 */
final class LinkPort {
    private final Link link;
    private final PeerStates states;
    private final PendingRequests requests;
    private final boolean[] usedCounters;
    private final Packet packet;
    private final Packet unsent;
    private final int[] numbers = new int[Frame.STREAMS];
    private final int payloadLimit;
    private final int self;
    private boolean isClaimed;

    LinkPort(Link link, NodeMemory node, Targets targets, RefusalReport report) {
        this.link = link;
        this.states = new PeerStates(node);
        this.requests = new PendingRequests(node, targets.self(), link.rank(), report::refused);
        this.usedCounters = new boolean[node.layout().dimensions().injectionCounters()];
        this.packet = new Packet(link.memory());
        this.unsent = new Packet(MappedMemory.ofProcess(link.frameLimit()));
        this.payloadLimit = Frame.payloadLimit(link.frameLimit());
        this.self = node.rank();
    }

    Link link() {
        return link;
    }

    PendingRequests requests() {
        return requests;
    }

    /** Returns {@link Landing#LANDED} while the peer can be reached, otherwise the code of the reason. */
    int reach() {
        if (states.isDead(link.rank())) {
            return Refusal.PEER_DEAD.code();
        }
        return link.state() == LinkState.UP ? Landing.LANDED : Refusal.LINK_FAILED.code();
    }

    /** Returns the longest payload of a packet. */
    int payloadLimit() {
        return payloadLimit;
    }

    /** Returns the number of a PUT that begins in a stream. */
    int begin(int stream) {
        return ++numbers[stream];
    }

    /**
     * Returns the only packet of the next frame of a stream, with its head and length written; {@link #publish} sends
     * it. The caller ensures that the stream has room. A link that fails meanwhile sends nothing.
     */
    Packet claim(int stream, int kind, int flags, int payloadLength) {
        final int length = Frame.LENGTH + Frame.packetLength(payloadLength);
        final long frame = link.claim(stream, length);
        isClaimed = frame != Link.NO_ROOM;
        if (isClaimed) {
            Frame.head(link.memory(), frame, 1);
            packet.wrap(frame + Frame.LENGTH);
        }
        final Packet claimed = isClaimed ? packet : unsent.wrap(0);
        return claimed.head(kind, flags, self, link.rank()).payloadLength(payloadLength);
    }

    void publish(int stream) {
        if (isClaimed) {
            link.commit(stream);
        }
    }

    /**
     * Returns true if a stream has room for a packet. It must have room for the longest one, so that short packets of
     * other FIFOs cannot keep the room of a long one occupied.
     */
    boolean hasRoom(int stream) {
        return hasRoom(stream, 1);
    }

    boolean hasRoom(int stream, long packets) {
        return link.room(stream) >= packets * link.frameLimit();
    }

    /** Returns true if an empty stream has room for successive packets. */
    boolean carries(long packets) {
        return packets <= link.capacity() / link.frameLimit();
    }

    /** Records that a message to the peer uses an injection counter, which exists or is the id of none. */
    void use(int injectionCounter) {
        if (injectionCounter >= 0) {
            usedCounters[injectionCounter] = true;
        }
    }

    /**
     * Returns true if a message to the peer has used the counter. The peer may refuse only messages of such a counter.
     */
    boolean hasUsed(int injectionCounter) {
        return injectionCounter >= 0 && injectionCounter < usedCounters.length && usedCounters[injectionCounter];
    }
}
