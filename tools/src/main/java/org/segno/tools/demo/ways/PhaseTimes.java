package org.segno.tools.demo.ways;

import java.util.Arrays;

/**
 * The times of all phases of a rank's iterations, by way, in one array: two of each phase, the phases of an iteration side by side, the
 * iterations of a way one after the other. Those of several ranks, made one, hold the slowest rank's times of each phase.
 */
public final class PhaseTimes {
    /** Times of a phase. */
    private static final int KINDS = 2;

    private static final double NANOS_PER_MICRO = 1e3;
    private static final int FAST = 10;

    private final int phases;
    private final int capacity;
    private final long[] ns;
    private final int[] count = new int[Way.values().length];
    private int next;

    PhaseTimes(int phases, int iterationLimit) {
        this.phases = phases;
        this.capacity = iterationLimit;
        this.ns = new long[length(phases, iterationLimit)];
    }

    /** Longs that it holds. */
    static int length(int phases, int iterationLimit) {
        return Way.values().length * iterationLimit * phases * KINDS;
    }

    /** Begins an iteration, whose phases are {@link #add added} in their order. */
    void begin(Way way) {
        next = (way.index() * capacity + count[way.index()]++) * phases * KINDS;
    }

    /**
     * Adds a phase to the iteration.
     *
     * @param startingNs what it cost the application to start it.
     * @param wholeNs from its start until all was sent and had come.
     */
    public void add(long startingNs, long wholeNs) {
        ns[next++] = wholeNs;
        ns[next++] = startingNs;
    }

    long[] ns() {
        return ns;
    }

    /** Iterations of a way; of all alike once a turn is over. */
    int iterations(Way way) {
        return count[way.index()];
    }

    /** Keeps the longer of both times of each phase. */
    void slowest(long[] other) {
        for (int i = 0; i < ns.length; i++) {
            ns[i] = Math.max(ns[i], other[i]);
        }
    }

    /** Median time of an iteration's phases together. */
    double medianMicros(Way way) {
        return medianMicros(sorted(way, 0));
    }

    /** Median time that starting an iteration's phases cost the application. */
    double startingMicros(Way way) {
        return medianMicros(sorted(way, 1));
    }

    private static double medianMicros(long[] sorted) {
        return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2.0 / NANOS_PER_MICRO;
    }

    /** Time that one iteration in ten stays below: what is left where a machine has nothing else to do. */
    double fastMicros(Way way) {
        final long[] sums = sorted(way, 0);
        return sums[sums.length / FAST] / NANOS_PER_MICRO;
    }

    private long[] sorted(Way way, int kind) {
        final int first = way.index() * capacity;
        final long[] sums = new long[iterations(way)];
        for (int i = 0; i < sums.length; i++) {
            for (int phase = 0; phase < phases; phase++) {
                sums[i] += ns[((first + i) * phases + phase) * KINDS + kind];
            }
        }
        Arrays.sort(sums);
        return sums;
    }
}
