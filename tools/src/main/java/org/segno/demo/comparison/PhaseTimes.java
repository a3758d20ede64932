package org.segno.demo.comparison;

import java.util.Arrays;

/**
 * Times of all phases of a rank's iterations, by mode, in one array.
 *
 * <p>Each phase has two times. The phases of an iteration are adjacent, and the iterations of a mode follow each other.
 * After {@link #slowest} the array holds the slowest rank's times of each phase.
 */
public final class PhaseTimes {
    /** Number of times of a phase. */
    private static final int KINDS = 2;

    private static final double NANOS_PER_MICRO = 1e3;
    private static final int FAST = 10;

    private final int phases;
    private final int capacity;
    private final long[] ns;
    private final int[] count = new int[SendMode.values().length];
    private int next;

    PhaseTimes(int phases, int iterationLimit) {
        this.phases = phases;
        this.capacity = iterationLimit;
        this.ns = new long[length(phases, iterationLimit)];
    }

    /** Returns the number of longs in the array. */
    static int length(int phases, int iterationLimit) {
        return SendMode.values().length * iterationLimit * phases * KINDS;
    }

    /** Begins an iteration. Its phases are {@link #add added} in their order. */
    void begin(SendMode mode) {
        next = (mode.index() * capacity + count[mode.index()]++) * phases * KINDS;
    }

    /**
     * Adds a phase to the iteration.
     *
     * @param startingNs cost of starting it in the application
     * @param wholeNs time from its start until all messages were sent and received
     */
    public void add(long startingNs, long wholeNs) {
        ns[next++] = wholeNs;
        ns[next++] = startingNs;
    }

    long[] ns() {
        return ns;
    }

    /** Returns the number of iterations of a mode, which is equal for all modes after a complete turn. */
    int iterations(SendMode mode) {
        return count[mode.index()];
    }

    /** Keeps the longer of both times of each phase. */
    void slowest(long[] other) {
        for (int i = 0; i < ns.length; i++) {
            ns[i] = Math.max(ns[i], other[i]);
        }
    }

    /** Returns the median time of an iteration's phases together. */
    double medianMicros(SendMode mode) {
        return medianMicros(sorted(mode, 0));
    }

    /** Returns the median cost of starting an iteration's phases in the application. */
    double startingMicros(SendMode mode) {
        return medianMicros(sorted(mode, 1));
    }

    private static double medianMicros(long[] sorted) {
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2.0 / NANOS_PER_MICRO;
    }

    /** Returns the time that one iteration in ten stays below: an estimate for a machine without other load. */
    double fastMicros(SendMode mode) {
        final long[] sums = sorted(mode, 0);
        return sums[sums.length / FAST] / NANOS_PER_MICRO;
    }

    private long[] sorted(SendMode mode, int kind) {
        final int first = mode.index() * capacity;
        final long[] sums = new long[iterations(mode)];
        for (int i = 0; i < sums.length; i++) {
            for (int phase = 0; phase < phases; phase++) {
                sums[i] += ns[((first + i) * phases + phase) * KINDS + kind];
            }
        }
        Arrays.sort(sums);
        return sums;
    }
}
