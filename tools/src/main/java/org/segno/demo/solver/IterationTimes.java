package org.segno.demo.solver;

import java.util.Arrays;
import java.util.function.IntToLongFunction;

/**
 * Times of the parts of each iteration.
 *
 * <p>Used by one thread. Memory is taken at construction. Iterations beyond it are dropped, because they would hardly
 * change the medians.
 */
public final class IterationTimes {
    private static final int CAPACITY_LIMIT = 1 << 20;
    private static final double NANOS_PER_MICRO = 1e3;

    private final long[] compute;
    private final long[] exchange;
    private final long[] reduce;
    private int count;

    public IterationTimes(int iterationLimit) {
        final int capacity = Math.min(iterationLimit, CAPACITY_LIMIT);
        compute = new long[capacity];
        exchange = new long[capacity];
        reduce = new long[capacity];
    }

    public void add(long computeNs, long exchangeNs, long reduceNs) {
        if (count < compute.length) {
            compute[count] = computeNs;
            exchange[count] = exchangeNs;
            reduce[count] = reduceNs;
            count++;
        }
    }

    /** Drops all stored iterations. */
    public void clear() {
        count = 0;
    }

    /** Returns the number of stored iterations. */
    public int count() {
        return count;
    }

    /** Returns the median time of a whole iteration. */
    public double totalMicros() {
        return medianMicros(i -> compute[i] + exchange[i] + reduce[i]);
    }

    public double computeMicros() {
        return medianMicros(i -> compute[i]);
    }

    public double exchangeMicros() {
        return medianMicros(i -> exchange[i]);
    }

    public double reduceMicros() {
        return medianMicros(i -> reduce[i]);
    }

    /** Returns the median of exchange and reduce together: the time for communicating and waiting. */
    public double communicationMicros() {
        return medianMicros(i -> exchange[i] + reduce[i]);
    }

    private double medianMicros(IntToLongFunction time) {
        if (count == 0) {
            return 0;
        }
        final long[] sorted = new long[count];
        Arrays.setAll(sorted, time);
        Arrays.sort(sorted);
        return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2.0 / NANOS_PER_MICRO;
    }
}
