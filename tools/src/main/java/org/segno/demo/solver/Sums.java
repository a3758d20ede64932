package org.segno.demo.solver;

/** Sums over all ranks. */
@FunctionalInterface
public interface Sums {
    /** Number of values that are summed at once. */
    int VALUE_COUNT = 2;

    /** Sums for a single rank. */
    Sums OWN = values -> {};

    /**
     * Replaces each of {@link #VALUE_COUNT} values by its sum over all ranks, which is equal to the last bit on every
     * rank. Every rank calls this.
     */
    void sum(double[] values);
}
