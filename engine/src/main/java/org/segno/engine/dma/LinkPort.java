package org.segno.engine.dma;

import org.segno.engine.landing.Landing;
import org.segno.engine.landing.PendingRequests;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.PeerStates;
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
    private final int self;

    LinkPort(Link link, NodeMemory node, Targets targets, RefusalReport report) {
        this.link = link;
        this.states = new PeerStates(node);
        this.requests = new PendingRequests(node, targets.self(), link.rank(), report::refused);
        this.usedCounters = new boolean[node.layout().dimensions().injectionCounters()];
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

    /**
     * Returns the next packet of a channel with its head written; {@link #publish} sends it. The caller ensures that
     * the channel has room.
     */
    Packet claim(int channel, int kind, int flags) {
        return link.claim(channel).head(kind, flags, self, link.rank()).in(channel);
    }

    void publish(int channel) {
        link.publish(channel);
    }

    boolean hasRoom(int channel) {
        return link.room(channel) > 0;
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
