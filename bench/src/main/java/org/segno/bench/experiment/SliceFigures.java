package org.segno.bench.experiment;

/** Raw figures of one slice, in the order of the experiment's metrics. Written by the origin, reused for each slice. */
public final class SliceFigures {
    /** Most metrics that one experiment may have. */
    public static final int LIMIT = 4;

    private final double[] values = new double[LIMIT];

    /** Stores the raw figure of one metric: ns per operation, or a ratio. */
    public void set(int metricIndex, double value) {
        values[metricIndex] = value;
    }

    /** Returns the last stored figure. */
    public double get(int metricIndex) {
        return values[metricIndex];
    }
}
