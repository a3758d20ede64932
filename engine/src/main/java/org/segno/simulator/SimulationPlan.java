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
 * @param bounds of the operations and buffers
 */
public record SimulationPlan(
        long seed, int nodes, int operations, Workload workload, Set<Fault> faults, Bounds bounds) {
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

    /** Creates a plan with the usual bounds. */
    public SimulationPlan(long seed, int nodes, int operations, Workload workload, Set<Fault> faults) {
        this(seed, nodes, operations, workload, faults, Bounds.USUAL);
    }

    /**
     * Bounds of the operations and buffers.
     *
     * @param untilNs virtual time since the start from which on the nodes begin no operation
     * @param longest length of the longest payload, 1 to 1,024 bytes
     * @param fifoSlots descriptors of each injection FIFO, a power of two from 2 to 1,024; 0 if the seed draws them
     */
    public record Bounds(long untilNs, int longest, int fifoSlots) {
        /** Limit of the length of a payload. */
        public static final int MAX_LONGEST = MixedLayout.SOURCE_BYTES;

        /** Limit of the number of descriptors of a FIFO. */
        public static final int MAX_FIFO_SLOTS = 1 << 10;

        /** Bounds of all lengths, which end no operation early and let the seed draw the FIFOs. */
        public static final Bounds USUAL = new Bounds(Long.MAX_VALUE, MAX_LONGEST, 0);

        public Bounds {
            if (untilNs < 0) {
                throw new IllegalArgumentException("the end of operations must be zero or later: untilNs=" + untilNs);
            }
            if (longest < 1 || longest > MAX_LONGEST) {
                throw new IllegalArgumentException(
                        "the longest payload has 1 to " + MAX_LONGEST + " bytes: longest=" + longest);
            }
            if (fifoSlots != 0 && (fifoSlots < 2 || fifoSlots > MAX_FIFO_SLOTS || Integer.bitCount(fifoSlots) != 1)) {
                throw new IllegalArgumentException("a FIFO has a power of two of 2 to " + MAX_FIFO_SLOTS
                        + " slots, or 0 for what the seed draws: fifoSlots=" + fifoSlots);
            }
        }
    }

    SimulationPlan withFaults(Set<Fault> fewer) {
        return new SimulationPlan(seed, nodes, operations, workload, fewer, bounds);
    }

    SimulationPlan withNodes(int fewer) {
        return new SimulationPlan(seed, fewer, operations, workload, faults, bounds);
    }

    SimulationPlan withOperations(int fewer) {
        return new SimulationPlan(seed, nodes, fewer, workload, faults, bounds);
    }

    boolean has(Fault fault) {
        return faults.contains(fault);
    }
}
