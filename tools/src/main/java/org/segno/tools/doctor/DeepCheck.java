package org.segno.tools.doctor;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/** Measurements of the copy bandwidth of memory, the cost of reading the clock, and the delay of wake-ups. */
final class DeepCheck implements Check {
    private static final int COPY_LENGTH = 32 << 20;
    private static final int COPIES = 20;
    private static final int CLOCK_CALLS = 2_000_000;
    private static final double SLOW_CLOCK_NS = 100;
    private static final int SLEEPS = 200;
    private static final long SLEEP_NS = 100_000;
    private static final double LATE_US = 1_000;
    private static final double NS_PER_US = 1_000;
    private static final double MEDIAN = 50;

    /** Significant digits of the delays. */
    private static final int DIGITS = 3;

    @Override
    public List<Finding> look(Host host, CheckedJob job) {
        return List.of(copies(), clock(), wakeUps());
    }

    private static Finding copies() {
        final byte[] from = new byte[COPY_LENGTH];
        final byte[] to = new byte[COPY_LENGTH];
        long bestNs = Long.MAX_VALUE;
        for (int i = 0; i < COPIES; i++) {
            final long startNs = System.nanoTime();
            System.arraycopy(from, 0, to, 0, COPY_LENGTH);
            bestNs = Math.min(bestNs, System.nanoTime() - startNs);
        }
        return Finding.ok(
                "copy",
                String.format(
                        Locale.ROOT,
                        "memory copy %,.0f MB/s, the ceiling of any bandwidth",
                        COPY_LENGTH * 1e3 / bestNs));
    }

    private static Finding clock() {
        double bestNs = Double.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            final long startNs = System.nanoTime();
            long last = startNs;
            for (int i = 0; i < CLOCK_CALLS / 5; i++) {
                last = System.nanoTime();
            }
            bestNs = Math.min(bestNs, (last - startNs) / (CLOCK_CALLS / 5.0));
        }
        final String measured = String.format(Locale.ROOT, "nanoTime costs %.0f ns", bestNs);
        return bestNs < SLOW_CLOCK_NS
                ? Finding.ok("timer", measured)
                : Finding.warning(
                        "timer", measured, "every wait with a deadline calls it", "see the check of the clock source");
    }

    private static Finding wakeUps() {
        final Histogram lateNs = new Histogram(DIGITS);
        for (int i = 0; i < SLEEPS; i++) {
            final long startNs = System.nanoTime();
            LockSupport.parkNanos(SLEEP_NS);
            lateNs.recordValue(Math.max(0, System.nanoTime() - startNs - SLEEP_NS));
        }
        final double medianUs = lateNs.getValueAtPercentile(MEDIAN) / NS_PER_US;
        final String measured = String.format(
                Locale.ROOT,
                "a parked thread wakes %.0f us late (median), %.0f us at most",
                medianUs,
                lateNs.getMaxValue() / NS_PER_US);
        return medianUs < LATE_US
                ? Finding.ok("wake-up", measured)
                : Finding.warning("wake-up", measured, "ranks that share cores sleep", "use no more ranks than cores");
    }
}
