package org.segno.simulator;

import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.node.Node;

/** A node of a simulation, with its program and the time of its next turn. */
final class SimulatedNode {
    /** Virtual duration of a pass. */
    private static final long PASS_NS = 40;

    /** Virtual duration of each descriptor, packet or record of a pass. */
    private static final long WORK_NS = 25;

    /** Limits of the time between two turns of a node that has nothing to do. */
    private static final long SHORTEST_IDLE_NS = 100;

    private static final long LONGEST_IDLE_NS = 20_000;

    private final int rank;
    private final VirtualTime time;
    private long dueNs;
    private long pausedUntilNs;
    private long idleNs = SHORTEST_IDLE_NS;
    private @Nullable Node node;
    private @Nullable Context context;
    private @Nullable SimulatedProgram program;

    SimulatedNode(int rank, VirtualTime time) {
        this.rank = rank;
        this.time = time;
        this.dueNs = time.nowNs();
        this.pausedUntilNs = dueNs;
    }

    /** Sets the node, which was assembled after the others had been created. */
    void node(Node assembled) {
        node = assembled;
        context = assembled.client().context();
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

    /** Returns the time of the next turn. */
    long dueNs() {
        return dueNs;
    }

    /** Makes one turn: a step of the program if that may begin something, and an advance. */
    void turn(boolean mayBegin) {
        final SimulatedProgram own = program;
        final boolean stepped = mayBegin && own != null && !own.isDone() && own.step();
        final int work = context == null ? 0 : context.advance();
        if (stepped || work > 0) {
            idleNs = SHORTEST_IDLE_NS;
            due(time.nowNs() + PASS_NS + WORK_NS * work);
        } else {
            idle();
        }
    }

    /** Has nothing to do for a while, unless a frame arrives. */
    void idle() {
        due(time.nowNs() + idleNs);
        idleNs = Math.min(2 * idleNs, LONGEST_IDLE_NS);
    }

    /** Brings the next turn forward to the arrival of a frame. */
    void arrives(long atNs) {
        if (atNs - dueNs < 0) {
            due(atNs);
        }
    }

    /** Delays all turns until a time. */
    void pause(long untilNs) {
        pausedUntilNs = untilNs;
        due(dueNs);
    }

    /** Ends the node's turns: it has been closed. */
    void end() {
        context = null;
        program = null;
    }

    boolean isDone() {
        return program == null || program.isDone();
    }

    private void due(long atNs) {
        dueNs = pausedUntilNs - atNs > 0 ? pausedUntilNs : atNs;
    }

    @Override
    public String toString() {
        return "rank " + rank;
    }
}
