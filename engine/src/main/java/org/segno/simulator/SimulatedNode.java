package org.segno.simulator;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.node.Node;

/** A node of a simulation, with its program and the time of its next turn. */
final class SimulatedNode {
    /** Virtual duration of a pass of the fastest nodes. That of others is up to so many times twice as long. */
    private static final long SHORTEST_PASS_NS = 40;

    private static final int PASS_DOUBLINGS = 9;

    /** Virtual duration of each step of the program, and of each descriptor, packet or record of a pass. */
    private static final long WORK_NS = 25;

    /**
     * Limits of the time between two turns of a node that has nothing to do. What the next turn could find wakes it:
     * these turns are for everything else.
     */
    private static final long SHORTEST_IDLE_NS = 51_200;

    private static final long LONGEST_IDLE_NS = 13_107_200;
    private static final int IDLE_GROWTH = 16;

    /** Bound of the most steps of a program in one turn. */
    private static final int MOST_STEPS = 16;

    /** Number of successive idle turns after which the engine rests, as in a parking wait. */
    private static final int IDLE_TURNS = 4;

    /** Time from an arrival until the turn of an idle node that processes it, in the same way. */
    private static final long SHORTEST_REACTION_NS = 5_000;

    private static final int REACTION_DOUBLINGS = 3;

    /** Distance of a time that is never reached. */
    private static final long NEVER_NS = Long.MAX_VALUE / 4;

    private final int rank;
    private final VirtualTime time;
    private final int burst;
    private final long untilNs;
    private final long passNs;
    private final long reactionNs;
    private final List<SimulatedNode> near = new ArrayList<>();
    private final List<Wire> incoming = new ArrayList<>();
    private final List<Wire> outgoing = new ArrayList<>();
    private long dueNs;
    private long pausedUntilNs;
    private long idleNs = SHORTEST_IDLE_NS;
    private int idleTurns;
    private boolean crashed;
    private @Nullable Node node;
    private @Nullable Context context;
    private @Nullable SimulatedProgram program;

    /**
     * Creates a node.
     *
     * @param random source of its pace: the steps of its program in one turn, the duration of a pass, and the reaction
     *     time to arrivals
     * @param untilNs time since the start at which its program begins nothing more
     */
    SimulatedNode(int rank, VirtualTime time, SplittableRandom random, long untilNs) {
        this.rank = rank;
        this.time = time;
        this.burst = random.nextInt(1, MOST_STEPS);
        this.untilNs = untilNs;
        this.passNs = SHORTEST_PASS_NS << random.nextInt(PASS_DOUBLINGS + 1);
        this.reactionNs = SHORTEST_REACTION_NS << random.nextInt(REACTION_DOUBLINGS + 1);
        this.dueNs = time.nowNs();
        this.pausedUntilNs = dueNs;
    }

    /** Sets the node, which was assembled after the others had been created. */
    void node(Node assembled) {
        node = assembled;
        context = assembled.client().context();
    }

    /** Adds a node that has mapped this node's memory, and this node its memory. */
    void near(SimulatedNode other) {
        near.add(other);
    }

    /** Adds a link to another node. */
    void link(Wire out, Wire in) {
        outgoing.add(out);
        incoming.add(in);
    }

    /** Sets the program. Before, the node only runs its engine and its handlers. */
    void program(SimulatedProgram given) {
        program = given;
    }

    Node node() {
        if (node == null) {
            throw new IllegalStateException(this + " is not assembled");
        }
        return node;
    }

    int rank() {
        return rank;
    }

    /** Returns the time of the next turn. */
    long dueNs() {
        return dueNs;
    }

    /** Makes one turn: steps of the program if that may begin something, and an advance. */
    void turn(boolean mayBegin) {
        final SimulatedProgram own = program;
        if (own != null && time.elapsedNs() >= untilNs) {
            own.stop();
        }
        int steps = 0;
        while (mayBegin && own != null && steps < burst && !own.isDone() && own.step()) {
            steps++;
        }
        final int work = steps + (context == null ? 0 : context.advance());
        if (work > 0) {
            idleNs = SHORTEST_IDLE_NS;
            idleTurns = 0;
            due(time.nowNs() + passNs + WORK_NS * work);
            for (int i = 0; i < near.size(); i++) {
                near.get(i).wake(time.nowNs());
            }
        } else {
            if (++idleTurns == IDLE_TURNS && context != null) {
                // Otherwise peers that use a counter again would wait for the quiet points of many idle turns.
                ContextAccess.rest(context);
            }
            idle();
        }
    }

    /** Has nothing to do for a while, unless something wakes the node. */
    void idle() {
        due(time.nowNs() + Math.min(idleNs, expectedNs()));
        idleNs = Math.min(IDLE_GROWTH * idleNs, LONGEST_IDLE_NS);
    }

    /** Returns the time until something happens at the node's links, as far as that is known. */
    private long expectedNs() {
        long ns = LONGEST_IDLE_NS;
        for (int i = 0; i < incoming.size(); i++) {
            ns = Math.min(
                    ns, Math.min(incoming.get(i).arrivesInNs(), outgoing.get(i).acceptsInNs()));
        }
        return reactionNs + ns;
    }

    /** Brings the next turn forward to the reaction to something that happens at a time: a frame or a write arrives. */
    void wake(long atNs) {
        final long reactsNs = atNs + reactionNs;
        if (reactsNs - dueNs < 0) {
            due(reactsNs);
        }
    }

    /** Delays all turns until a time. */
    void pause(long untilNs) {
        if (untilNs - pausedUntilNs > 0) {
            pausedUntilNs = untilNs;
            due(dueNs);
        }
    }

    /** Ends all turns for good. The memory remains as it is. */
    void crash() {
        crashed = true;
        pause(time.nowNs() + NEVER_NS);
    }

    boolean isCrashed() {
        return crashed;
    }

    /** Ends the node's turns: it has been closed. */
    void end() {
        context = null;
        program = null;
    }

    boolean isDone() {
        return crashed || program == null || program.isDone();
    }

    private void due(long atNs) {
        dueNs = pausedUntilNs - atNs > 0 ? pausedUntilNs : atNs;
    }

    @Override
    public String toString() {
        return "rank " + rank;
    }
}
