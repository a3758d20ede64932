package org.segno.tools.demo.solver;

/** Sums over all ranks. */
@FunctionalInterface
public interface Sums {
    /** Values that are summed at once. */
    int VALUE_COUNT = 2;

    /** For a rank that is alone. */
    Sums OWN = values -> {};

    /**
     * Replaces each of {@link #VALUE_COUNT} values by its sum over all ranks, the same to the last bit on every one of them. Every rank
     * calls this.
     */
    void sum(double[] values);
}
