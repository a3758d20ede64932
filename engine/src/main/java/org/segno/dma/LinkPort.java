package org.segno.dma;

import org.segno.landing.Landing;
import org.segno.landing.Requests;
import org.segno.link.LinkState;
import org.segno.link.PacketLink;
import org.segno.memory.NodeMemory;
import org.segno.memory.PeerStates;
import org.segno.packet.Packet;
import org.segno.packet.PacketKind;
import org.segno.status.Refusal;

/** A link, and what this node's engine keeps for it: what it has asked the peer for and sent to it. One thread, the engine's. */
final class LinkPort {
    private final PacketLink link;
    private final PeerStates states;
    private final Requests requests;
    private final boolean[] usedCounters;
    private final int self;

    LinkPort(PacketLink link, NodeMemory node, Targets targets, RefusalReport report) {
        this.link = link;
        this.states = new PeerStates(node);
        this.requests = new Requests(node, targets.self(), link.rank(), report::refused);
        this.usedCounters = new boolean[node.layout().dimensions().injectionCounters()];
        this.self = node.rank();
    }

    PacketLink link() {
        return link;
    }

    Requests requests() {
        return requests;
    }

    /** {@link Landing#LANDED} while the peer can be reached, or why not. */
    int reach() {
        if (states.isDead(link.rank())) {
            return Refusal.PEER_DEAD.code();
        }
        return link.state() == LinkState.UP ? Landing.LANDED : Refusal.LINK_FAILED.code();
    }

    /** The next packet of a kind's channel, in which there is room, with its head written; {@link #publish} sends it. */
    Packet claim(int kind, int flags) {
        return link.claim(PacketKind.channel(kind)).head(kind, flags, self, link.rank());
    }

    void publish(int kind) {
        link.publish(PacketKind.channel(kind));
    }

    boolean hasRoom(int channel) {
        return link.room(channel) > 0;
    }

    /** A message that goes to the peer uses an injection counter, which exists or is none. */
    void use(int injectionCounter) {
        if (injectionCounter >= 0) {
            usedCounters[injectionCounter] = true;
        }
    }

    /** True if a message to the peer has used it: only of such a one may the peer say that it was refused. */
    boolean hasUsed(int injectionCounter) {
        return injectionCounter >= 0 && injectionCounter < usedCounters.length && usedCounters[injectionCounter];
    }
}
