package org.segno.bench.jmh;

/**
 * What an operation of a benchmark costs.
 *
 * @param benchmark class and method
 * @param bestNs time of an operation in the best iteration
 * @param medianNs in the median of all iterations
 * @param worstNs in the worst
 * @param bytes allocated on the heap for an operation, in the median of all iterations: what an operation allocates it allocates in
 *     each of them, while the last one holds what leaving the job allocates too
 * @param mayAllocate true if it is not part of the steady state
 */
public record PartCost(
        String benchmark, double bestNs, double medianNs, double worstNs, double bytes, boolean mayAllocate) {
    /** What counts as nothing: the profiler sees all threads, so the 6 KB that JMH allocates in an iteration are shared out too. */
    public static final double NOTHING_BYTES = 0.01;

    /** True unless it allocates what it must not. */
    public boolean isFit() {
        return mayAllocate || bytes <= NOTHING_BYTES;
    }
}
