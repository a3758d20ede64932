package org.segno.engine.dma;

import org.segno.engine.landing.Landing;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.status.Refusal;

/**
 * States of contexts at both ends of a link. It sends each change of a state of this node to the peer, and stores the
 * states that the peer sends in their mirror. Used only by the engine's thread.
 */
final class ContextMirror {
    private final LinkPort port;
    private final ContextStates own;
    private final ContextStates mirror;
    private final int peerContexts;

    /** States of this node's contexts that the peer knows. At first every context has the state zero. */
    private final long[] told;

    /** Creates the mirror of a peer by engine {@code engine} of {@code node}. */
    ContextMirror(LinkPort port, NodeMemory node, Peer peer, int engine) {
        this.port = port;
        this.own = new ContextStates(node);
        this.mirror = peer.states(engine);
        this.peerContexts = peer.dimensions().contexts();
        this.told = new long[node.layout().dimensions().contexts()];
    }

    /** Sends the changed states, as far as there is room. */
    void tell() {
        for (int context = 0; context < told.length; context++) {
            final long state = own.stateAcquire(context);
            if (state != told[context] && port.hasRoom(Frame.REPLIES)) {
                port.claim(Frame.REPLIES, PacketKind.CONTEXT_STATE, Packet.FIRST, 0)
                        .target(context, 0, state);
                port.publish(Frame.REPLIES);
                told[context] = state;
            }
        }
    }

    /** Keeps a state of the peer. Returns a result of {@link Landing}. */
    int accept(Packet packet) {
        final int context = packet.target();
        if (context < 0 || context >= peerContexts) {
            return Refusal.BAD_PACKET.code();
        }
        mirror.mirror(context, packet.offset());
        return Landing.LANDED;
    }
}
