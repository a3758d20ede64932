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
 *
 * <p>The first frame of replies from a peer <em>introduces</em> it: it has sent all states that are not zero before any
 * other reply. Other threads learn of the introduction from the state of context 0, which is stored last.
 */
final class ContextMirror {
    /** Detail of a packet that another state of the introduction follows. */
    private static final int MORE = 1;

    private final LinkPort port;
    private final ContextStates own;
    private final ContextStates mirror;
    private final int peerContexts;
    private boolean hasIntroduced;
    private boolean isIntroduced;

    /** State of the peer's context 0 until the introduction is complete. */
    private long first;

    /** True after a state that another one follows. */
    private boolean expectsMore;

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

    /** Sends the changed states, as far as there is room. Returns true if all of them have been sent. */
    boolean tell() {
        int last = told.length - 1;
        while (!hasIntroduced && last >= 0 && own.stateAcquire(last) == told[last]) {
            last--;
        }
        boolean isComplete = true;
        for (int context = 0; context < told.length; context++) {
            final long state = own.stateAcquire(context);
            if (state != told[context] && port.hasRoom(Frame.REPLIES)) {
                final int more = !hasIntroduced && context < last ? MORE : 0;
                port.claim(Frame.REPLIES, PacketKind.CONTEXT_STATE, Packet.FIRST, 0)
                        .target(context, more, state);
                port.publish(Frame.REPLIES);
                told[context] = state;
            }
            isComplete &= state == told[context];
        }
        hasIntroduced |= isComplete;
        return isComplete;
    }

    /** Returns true once all states were sent before anything else. */
    boolean hasIntroduced() {
        return hasIntroduced;
    }

    /** Records the end of a frame of replies from the peer. */
    void received() {
        if (isIntroduced || expectsMore) {
            return;
        }
        isIntroduced = true;
        for (int context = peerContexts - 1; context > 0; context--) {
            if (ContextStates.use(mirror.stateAcquire(context)) == ContextStates.UNKNOWN_USE) {
                mirror.mirror(context, 0);
            }
        }
        // No peer that keeps to the protocol sends the unknown use, which would never be introduced.
        mirror.mirror(0, ContextStates.use(first) == ContextStates.UNKNOWN_USE ? 0 : first);
    }

    /** Keeps a state of the peer. Returns a result of {@link Landing}. */
    int accept(Packet packet) {
        final int context = packet.target();
        if (context < 0 || context >= peerContexts) {
            return Refusal.BAD_PACKET.code();
        }
        expectsMore = packet.detail() == MORE;
        if (context == 0 && !isIntroduced) {
            first = packet.offset();
        } else {
            mirror.mirror(context, packet.offset());
        }
        return Landing.LANDED;
    }
}
