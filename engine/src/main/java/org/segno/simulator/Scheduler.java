package org.segno.simulator;

import java.util.List;

/**
 * Gives the nodes of a simulation their turns, in the order of virtual time and of ranks. A call of a node that waits
 * inside its turn lets the engines and handlers of all others go on until its own next turn is due; their programs
 * begin nothing meanwhile.
 */
final class Scheduler {
    private final VirtualTime time;
    private final List<SimulatedNode> nodes;
    private FaultPlan faults = FaultPlan.NONE;
    private boolean isWaiting;

    Scheduler(VirtualTime time, List<SimulatedNode> nodes) {
        this.time = time;
        this.nodes = nodes;
    }

    /** Sets the faults, which begin before the turns that are due at the same time. */
    void faults(FaultPlan planned) {
        faults = planned;
    }

    /** Returns true once all faults have begun. */
    boolean areFaultsOver() {
        return faults.isOver();
    }

    /** Gives the node that is due first its turn. */
    void turn() {
        turn(earliest());
    }

    private void turn(SimulatedNode node) {
        if (faults.begin(node.dueNs())) {
            // Another node may be due first now.
            return;
        }
        time.advanceTo(node.dueNs());
        node.turn(!isWaiting);
    }

    /** Lets the others go on during a pause of a node's call. */
    void pause(SimulatedNode waiting) {
        if (isWaiting) {
            throw new IllegalStateException("a handler of " + waiting + " waits");
        }
        isWaiting = true;
        try {
            waiting.idle();
            for (SimulatedNode next = earliest(); next != waiting; next = earliest()) {
                turn(next);
            }
            time.advanceTo(waiting.dueNs());
        } finally {
            isWaiting = false;
        }
    }

    private SimulatedNode earliest() {
        SimulatedNode first = nodes.get(0);
        for (int rank = 1; rank < nodes.size(); rank++) {
            final SimulatedNode node = nodes.get(rank);
            if (node.dueNs() - first.dueNs() < 0) {
                first = node;
            }
        }
        return first;
    }
}
