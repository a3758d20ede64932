package org.segno.transport.shm;

import java.util.function.Function;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;

/**
 * What rank 0, the asker, has under way with rank 1, the answerer, which is stopped or killed in the midst of it. Both
 * open it; then the answerer stands still, and the asker begins and waits.
 */
abstract class Protocol {
    /** Of every lane. */
    static final int LANE_BYTES = 4096;

    private static final String DEATH = "PeerFailedException 1: .*rank 1.*died.*";
    private static final int CONTEXTS = 2;
    private static final int LANES = 2 * CONTEXTS * CONTEXTS;

    /** Which there are, what the asker is told that it misses, and how its wait ends when the answerer is killed. */
    enum Kind {
        EAGER_SENDS(LaneProtocol.EagerSends::new),
        PUTS_WITH_NOTICE(LaneProtocol.Notices::new),
        FENCE_OF_AN_ENDPOINT(LaneProtocol.FenceOfEndpoint::new),
        /** What is for a rank that has died is refused, and the fence is passed. */
        FENCE_OF_ALL(LaneProtocol.FenceOfAll::new, "is a SEND for rank 1", "nothing"),
        MULTICAST(LaneProtocol.Multicasts::new),
        MANY_TO_MANY(RoundProtocol.Exchange::new),
        OPENING_OF_MANY_TO_MANY(RoundProtocol.Opening::new),
        REPLAY(RoundProtocol.Replay::new),
        REPLAY_IN_TWO_CONTEXTS(RoundProtocol.Joint::new),
        PREPARED_AND_HELD(RoundProtocol.Held::new),
        /** Who is to hand one back only the application knows. */
        CONNECTION(
                SynchronizationProtocol.Connection::new,
                "waiting for a free connection: 1 connections, 1 of them taken",
                DEATH),
        BARRIER(SynchronizationProtocol.Barrier::new),
        ATTACH(SynchronizationProtocol.Attach::new),
        CLIENT(SynchronizationProtocol.Opening::new);

        final String whenStopped;
        final String whenKilled;

        @SuppressWarnings("ImmutableEnumChecker") // A constructor, which holds nothing.
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

    /** A node with small lanes and two contexts. */
    static NodeConfig config() {
        return ScenarioRun.smallNode()
                .withThreading(Threading.INVOKER)
                .withContexts(CONTEXTS)
                .withLaneBudgetBytes((long) LANES * LANE_BYTES);
    }

    /** Both, together: makes and finds what is needed. */
    void open() {}

    /** The asker begins what needs the answerer; never waits. */
    void begin() {}

    /** The asker waits for it; again after a deadline. */
    abstract void await(long deadlineNs);

    /** The answerer does its part. */
    abstract void respond();

    /** The asker looks at what has come of it. */
    void check() {}
}
