package org.segno.transport.shm;

import java.util.function.Function;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;

/**
 * Protocol between rank 0, the requester, and rank 1, the responder, which is stopped or killed in the middle of it.
 * Both open it; then the responder pauses, and the requester begins and waits.
 */
abstract class Protocol {
    /** Length of every lane. */
    static final int LANE_BYTES = 4096;

    private static final String DEATH = "PeerFailedException 1: .*rank 1.*died.*";
    private static final int CONTEXTS = 2;
    private static final int LANES = 2 * CONTEXTS * CONTEXTS;

    /**
     * Kinds of protocols, each with the message of the requester's deadline and the end of its wait when the responder
     * is killed.
     */
    enum Kind {
        EAGER_SENDS(LaneProtocol.EagerSends::new),
        PUTS_WITH_NOTICE(LaneProtocol.Notices::new),
        FENCE_OF_AN_ENDPOINT(LaneProtocol.FenceOfEndpoint::new),
        /** Descriptors for a dead rank are refused, and the fence completes. */
        FENCE_OF_ALL(LaneProtocol.FenceOfAll::new, "is a SEND for context 0 of rank 1", "nothing"),
        MULTICAST(LaneProtocol.Multicasts::new),
        MANY_TO_MANY(RoundProtocol.Exchange::new),
        OPENING_OF_MANY_TO_MANY(RoundProtocol.Opening::new),
        REPLAY(RoundProtocol.Replay::new),
        REPLAY_IN_TWO_CONTEXTS(RoundProtocol.Joint::new),
        PREPARED_AND_HELD(RoundProtocol.Held::new),
        /** Only the application knows the rank that its condition depends on: the message names no rank. */
        CONDITION(SynchronizationProtocol.Condition::new, "waiting for a condition of the application", DEATH),
        BARRIER(SynchronizationProtocol.Barrier::new),
        ATTACH(SynchronizationProtocol.Attach::new),
        CLIENT(SynchronizationProtocol.Opening::new);

        final String whenStopped;
        final String whenKilled;

        @SuppressWarnings("ImmutableEnumChecker") // A constructor, which has no state.
        private final Function<Node, Protocol> maker;

        Kind(Function<Node, Protocol> maker) {
            this(maker, "rank 1", DEATH);
        }

        Kind(Function<Node, Protocol> maker, String whenStopped, String whenKilled) {
            this.maker = maker;
            this.whenStopped = whenStopped;
            this.whenKilled = whenKilled;
        }

        Protocol of(Node node) {
            return maker.apply(node);
        }
    }

    final Node node;
    final Client client;
    final Context context;
    final int peer;

    Protocol(Node node) {
        this.node = node;
        this.client = node.client();
        this.context = client.context();
        this.peer = 1 - node.rank();
    }

    /** Returns the settings of a node with small lanes and two contexts. */
    static NodeConfig config() {
        return ScenarioRun.smallNode()
                .withThreading(Threading.INVOKER)
                .withContexts(CONTEXTS)
                .withLaneBudgetBytes((long) LANES * LANE_BYTES);
    }

    /** Prepares the protocol; both ranks call it together. */
    void open() {}

    /** Begins the requester's part, which needs the responder; never waits. */
    void begin() {}

    /** Waits, as the requester, for the end; can be repeated after a deadline. */
    abstract void await(long deadlineNs);

    /** Carries out the responder's part. */
    abstract void respond();

    /** Checks the result of the requester. */
    void check() {}
}
