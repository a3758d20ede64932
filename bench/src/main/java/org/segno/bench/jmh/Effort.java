package org.segno.bench.jmh;

import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Length of a benchmark's run.
 *
 * @param forks number of JVMs, one after the other; 0 runs in this JVM
 * @param warmups number of iterations before the measured ones
 * @param warmupMs length of each of them
 * @param iterations number of measured iterations
 * @param iterationMs length of each of them
 */
public record Effort(int forks, int warmups, int warmupMs, int iterations, int iterationMs) {
    /** Effort for final figures. */
    public static final Effort FULL = new Effort(2, 4, 500, 5, 500);

    /** Effort for a short run. */
    public static final Effort QUICK = new Effort(1, 2, 300, 4, 400);

    /**
     * Effort for a benchmark that seems to allocate. JMH's own allocation in an iteration is divided by many more
     * operations.
     */
    public static final Effort SURE = new Effort(1, 2, 500, 3, 3_000);

    TimeValue warmupTime() {
        return TimeValue.milliseconds(warmupMs);
    }

    TimeValue iterationTime() {
        return TimeValue.milliseconds(iterationMs);
    }

    @Override
    public String toString() {
        return forks + " x " + iterations + " iterations of " + iterationMs + " ms";
    }
}
