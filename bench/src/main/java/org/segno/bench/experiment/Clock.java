package org.segno.bench.experiment;

/** What reading the clock costs, so that it can be taken out of samples that are shorter than a few hundred ns. */
public final class Clock {
    private static final int READS = 20_000;
    private static final int ATTEMPTS = 25;

    private Clock() {}

    /**
     * Measures one {@code System.nanoTime()}, back to back with itself: the smallest mean of several batches, for what
     * disturbs a batch is not the clock. Call it warm.
     *
     * @return cost in ns
     */
    public static double costNs() {
        double smallest = Double.MAX_VALUE;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            smallest = Math.min(smallest, meanOfReads());
        }
        return smallest;
    }

    private static double meanOfReads() {
        final long beginNs = System.nanoTime();
        long nowNs = beginNs;
        for (int i = 0; i < READS; i++) {
            nowNs = System.nanoTime();
        }
        return (nowNs - beginNs) / (double) READS;
    }
}
