package org.segno.simulator;

import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** Count of simulated seeds, which prints their number and rate as it grows. */
final class SeedCount {
    private final long seeds;
    private final long perLine;
    private final long startNs = System.nanoTime();
    private long simulated;
    private long failed;
    private long messages;

    /** Creates the count of a number of seeds, which prints so many lines on its way. */
    SeedCount(long seeds, int lines) {
        this.seeds = seeds;
        this.perLine = Math.max(1, seeds / lines);
    }

    long seeds() {
        return seeds;
    }

    /** Counts the result of a seed. */
    synchronized void simulated(SimulationResult result) {
        simulated++;
        messages += result.messages();
        failed += result.defects().isEmpty() ? 0 : 1;
        if (simulated % perLine == 0 || simulated == seeds) {
            System.out.println(line(Math.max(1, System.nanoTime() - startNs)));
        }
    }

    private String line(long elapsedNs) {
        final double seconds = elapsedNs / (double) TimeUnit.SECONDS.toNanos(1);
        return String.format(
                Locale.ROOT,
                "simulated %,d of %,d seeds in %.1f s, %.0f schedules a second, %,d messages, %d failed",
                simulated,
                seeds,
                seconds,
                simulated / seconds,
                messages,
                failed);
    }

    synchronized long simulated() {
        return simulated;
    }

    synchronized long messages() {
        return messages;
    }
}
