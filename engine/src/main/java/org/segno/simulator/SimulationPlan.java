package org.segno.simulator;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * A simulation. The same plan always gives the same result.
 *
 * @param seed determines everything that is drawn: links, workload and faults
 * @param nodes number of nodes, 1 to 256
 * @param operations number of operations of all nodes together; with fewer, each node makes the first ones of the same
 * @param workload what the nodes do
 * @param faults kinds of faults that may happen
 */
public record SimulationPlan(long seed, int nodes, int operations, Workload workload, Set<Fault> faults) {
    /** Limit of the number of nodes. */
    public static final int MAX_NODES = 256;

    public SimulationPlan {
        if (nodes < 1 || nodes > MAX_NODES) {
            throw new IllegalArgumentException("a simulation has 1 to " + MAX_NODES + " nodes: nodes=" + nodes);
        }
        if (operations < 0) {
            throw new IllegalArgumentException("operations must be zero or more: operations=" + operations);
        }
        final Set<Fault> ordered = EnumSet.noneOf(Fault.class);
        ordered.addAll(faults);
        faults = Collections.unmodifiableSet(ordered);
    }

    boolean has(Fault fault) {
        return faults.contains(fault);
    }
}
