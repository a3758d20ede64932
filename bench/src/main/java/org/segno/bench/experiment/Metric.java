package org.segno.bench.experiment;

/**
 * What a figure of a slice means and how it is shown. Slices store times in nanoseconds per operation (ratios as they
 * are), so that every figure can be divided by the probe; only the report turns them into rates.
 */
public enum Metric {
    /** Half a round trip; median of groups of round trips. */
    P50("p50", "ns"),
    /** Half a round trip; 99th percentile of single round trips. */
    P99("p99", "ns"),
    /** Messages a second, from the first send until the receiver has seen the last. */
    RATE("rate", "M msg/s") {
        @Override
        public double shown(double raw, long size) {
            return 1_000 / raw;
        }
    },
    /** Payload bytes a second. */
    BANDWIDTH("bandwidth", "GB/s") {
        @Override
        public double shown(double raw, long size) {
            return size / raw;
        }
    },
    /** Time that the calling thread spends until the call returns. */
    COST("cost", "ns"),
    /** Time from the call until what was asked for is there. */
    DONE("until done", "ns"),
    /** Bandwidth divided by that of a plain copy of the same buffers, taken in turn within one slice. */
    OF_COPY("of plain copy", "ratio") {
        @Override
        public boolean isTime() {
            return false;
        }
    },
    /** Latency divided by that of the plain case, taken in turn within one slice. */
    OF_PLAIN("of plain", "ratio") {
        @Override
        public boolean isTime() {
            return false;
        }
    },
    /** Part of all descriptors that one of two FIFOs was served. */
    SHARE("share", "ratio") {
        @Override
        public boolean isTime() {
            return false;
        }
    };

    private final String label;
    private final String unit;

    Metric(String label, String unit) {
        this.label = label;
        this.unit = unit;
    }

    /** Returns the name used in tables and JSON. */
    public String label() {
        return label;
    }

    /** Returns the unit of {@link #shown}. */
    public String unit() {
        return unit;
    }

    /** Converts the raw figure of one slice, ns per operation of {@code size} bytes, to this metric's unit. */
    public double shown(double raw, long size) {
        return raw;
    }

    /** Whether a slice's raw figure is a time, so that dividing it by the probe means something. */
    public boolean isTime() {
        return true;
    }

    /** Whether more is better once shown. */
    public boolean moreIsBetter() {
        return this == RATE || this == BANDWIDTH || this == OF_COPY || this == SHARE;
    }
}
