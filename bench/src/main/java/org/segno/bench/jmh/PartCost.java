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
 * @param mayAllocate true if it is not part of the steady state
 */
public record PartCost(
        String benchmark,
        @Nullable Threading mode,
        double bestNs,
        double medianNs,
        double worstNs,
        double bytes,
        boolean mayAllocate) {
    /**
     * Threshold for no allocation. The profiler covers all threads, so the 6 KB that JMH allocates in an iteration are
     * divided among the operations too.
     */
    public static final double NOTHING_BYTES = 0.01;

    /** Returns true unless a benchmark of the steady state allocates. */
    public boolean isFit() {
        return mayAllocate || bytes <= NOTHING_BYTES;
    }
}
