package org.segno.tools.demo.cg;

/** Sums over all ranks. */
@FunctionalInterface
interface Sums {
    /** For a rank that is alone. */
    Sums OWN = values -> {};

    /**
     * Replaces each value by its sum over all ranks, the same to the last bit on every one of them. Every rank calls this, with equally
     * many values.
     */
    void sum(double[] values);
}
