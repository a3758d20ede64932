package org.segno.bench.experiment;

/** Cost of reading the clock, to be subtracted from samples shorter than a few hundred ns. */
public final class Clock {
    private static final int READS = 20_000;
    private static final int ATTEMPTS = 25;

    private Clock() {}

    /**
     * Measures one {@code System.nanoTime()}, called back to back. The result is the smallest mean of several batches,
     * because disturbances of a batch are not the cost of the clock. The code must be warm.
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
