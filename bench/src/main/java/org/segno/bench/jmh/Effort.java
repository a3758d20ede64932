package org.segno.bench.jmh;

import org.openjdk.jmh.runner.options.TimeValue;

/**
 * How long a benchmark is run.
 *
 * @param forks JVMs one after the other; 0 runs in this one
 * @param warmups iterations before those that count
 * @param warmupMs length of each
 * @param iterations iterations that count
 * @param iterationMs length of each
 */
public record Effort(int forks, int warmups, int warmupMs, int iterations, int iterationMs) {
    /** For figures to keep. */
    public static final Effort FULL = new Effort(2, 4, 500, 5, 500);

    /** For a first look. */
    public static final Effort QUICK = new Effort(1, 2, 300, 4, 400);

    /** For a benchmark that seems to allocate: what JMH itself allocates in an iteration is shared out over many more operations. */
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
