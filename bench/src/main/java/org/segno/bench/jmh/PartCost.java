package org.segno.bench.jmh;

import org.jspecify.annotations.Nullable;
import org.segno.node.NodeConfig.Threading;

/**
 * Cost of an operation of a benchmark.
 *
 * @param benchmark class and method
 * @param mode threading of the nodes, or null if it drives parts of the engine without a node
 * @param bestNs time of an operation in the best iteration
 * @param medianNs time in the median of all iterations
 * @param worstNs time in the worst iteration
 * @param bytes heap bytes allocated by an operation, in the median of all iterations: an operation that allocates does
 *     so in each of them, while the last iteration also includes the allocation of leaving the job
 * @param ownBytes most of them that JMH itself may have allocated: the profiler covers all threads
 * @param mayAllocate true if it is not part of the steady state
 */
public record PartCost(
        String benchmark,
        @Nullable Threading mode,
        double bestNs,
        double medianNs,
        double worstNs,
        double bytes,
        double ownBytes,
        boolean mayAllocate) {
    /** Threshold for no allocation by an operation, beside that of JMH. */
    public static final double NOTHING_BYTES = 0.01;

    /** Limit of {@code ownBytes}, half of the smallest object: more would hide an object of each second operation. */
    private static final double MOST_OWN_BYTES = 8;

    /** Most that JMH allocates in an iteration: 2 to 20 KB, in the first ones more than later. */
    private static final double ITERATION_BYTES = 24 << 10;

    /** Returns the share of an operation in what JMH allocates in an iteration. */
    static double ownBytes(double operationNs, double iterationNs) {
        return Math.min(MOST_OWN_BYTES, ITERATION_BYTES * operationNs / iterationNs);
    }

    /** Returns true unless a benchmark of the steady state allocates. */
    public boolean isFit() {
        return mayAllocate || bytes <= Math.max(NOTHING_BYTES, ownBytes);
    }
}
