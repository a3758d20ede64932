package org.segno.simulator;

/** The clock of one simulation, in nanoseconds. It never goes back. */
final class VirtualTime {
    private final long startNs;
    private long nowNs;

    /** Creates a clock that starts at {@code startNs}, which may be just below its wrap. */
    VirtualTime(long startNs) {
        this.startNs = startNs;
        this.nowNs = startNs;
    }

    long nowNs() {
        return nowNs;
    }

    /** Returns the time since the start. */
    long elapsedNs() {
        return nowNs - startNs;
    }

    /** Sets a later time; has no effect for an earlier one. */
    void advanceTo(long laterNs) {
        if (laterNs - nowNs > 0) {
            nowNs = laterNs;
        }
    }
}
