package org.segno.simulator;

/**
 * A simulation. The same plan always gives the same result.
 *
 * @param seed determines everything that is drawn: links, workload and faults
 * @param nodes number of nodes, 1 to 256
 * @param operations number of operations of all nodes together
 * @param faults true if links stall, and nodes pause, for up to milliseconds
 */
public record SimulationPlan(long seed, int nodes, int operations, boolean faults) {
    /** Limit of the number of nodes. */
    public static final int MAX_NODES = 256;

    public SimulationPlan {
        if (nodes < 1 || nodes > MAX_NODES) {
            throw new IllegalArgumentException("a simulation has 1 to " + MAX_NODES + " nodes: nodes=" + nodes);
        }
        if (operations < 0) {
            throw new IllegalArgumentException("operations must be zero or more: operations=" + operations);
        }
    }
}
