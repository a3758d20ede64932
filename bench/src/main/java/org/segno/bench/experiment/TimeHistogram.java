package org.segno.bench.experiment;

import org.HdrHistogram.Histogram;

/**
 * Histogram of the times of one slice, with a resolution of a tenth of a nanosecond or a thousandth of the time.
 * Recording allocates nothing.
 */
public final class TimeHistogram {
    /** Histogram values are tenths of a ns, up to a second. */
    private static final double TENTHS = 10;

    private static final long HIGHEST = 10_000_000_000L;
    private static final int DIGITS = 3;
    private static final double MEDIAN = 50;

    private final Histogram histogram = new Histogram(HIGHEST, DIGITS);

    /** Creates an empty histogram. */
    public TimeHistogram() {}

    /** Removes all times. */
    public void reset() {
        histogram.reset();
    }

    /** Adds a time. A negative one counts as 0, one above a second as a second. */
    public void record(double timeNs) {
        histogram.recordValue(Math.max(0, Math.min(HIGHEST, Math.round(timeNs * TENTHS))));
    }

    /** Returns the median of the times, in ns. */
    public double medianNs() {
        return percentileNs(MEDIAN);
    }

    /** Returns a percentile of the times, 0 to 100, in ns. */
    public double percentileNs(double percentile) {
        return histogram.getValueAtPercentile(percentile) / TENTHS;
    }
}
