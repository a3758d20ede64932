package org.segno.bench.experiment;

/**
 * Meaning and unit of a figure.
 *
 * <p>Slices store times in nanoseconds per operation, and ratios unchanged, so that every time can be divided by the
 * probe. Only the report converts them to rates.
 */
public enum FigureKind {
    /** Half a round trip; median of groups of round trips. */
    P50("p50", "ns"),
    /** Half a round trip; 99th percentile of single round trips. */
    P99("p99", "ns"),
    /** Messages a second, from the first send until the receiver has read the last. */
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
    /** Time from the call until the operation is complete. */
    DONE("until done", "ns"),
    /** Time from the call until the operation is complete, 99th percentile of single operations. */
    DONE_P99("until done, p99", "ns"),
    /** Duration of a computation alone. */
    COMPUTATION("computation", "ns"),
    /** Time until both an operation and the computation that was made meanwhile are complete. */
    TOGETHER("together", "ns"),
    /** Share of the shorter of an operation and a computation that was hidden behind the other one. */
    HIDDEN("hidden", "%") {
        @Override
        public boolean isTime() {
            return false;
        }
    },
    /** Bandwidth divided by that of a plain copy between windows of the same size, in turn within one slice. */
    OF_COPY("of plain copy", "ratio") {
        @Override
        public boolean isTime() {
            return false;
        }
    },
    /** Latency divided by that of the plain case, measured in turn within one slice. */
    OF_PLAIN("of plain", "ratio") {
        @Override
        public boolean isTime() {
            return false;
        }
    },
    /** Fraction of all descriptors that were served from one of two FIFOs. */
    SHARE("share", "ratio") {
        @Override
        public boolean isTime() {
            return false;
        }
    };

    private final String label;
    private final String unit;

    FigureKind(String label, String unit) {
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

    /** Returns true if a slice's raw figure is a time, which can be divided by the probe. */
    public boolean isTime() {
        return true;
    }

    /** Returns true if higher values are better after conversion. */
    public boolean moreIsBetter() {
        return this == RATE || this == BANDWIDTH || this == OF_COPY || this == SHARE || this == HIDDEN;
    }
}
