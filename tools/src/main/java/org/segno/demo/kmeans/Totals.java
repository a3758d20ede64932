package org.segno.demo.kmeans;

/** Sums over all ranks. */
@FunctionalInterface
interface Totals {
    /** Sums for a single rank. */
    Totals OWN = values -> {};

    /** Replaces each value by its sum over all ranks. Every rank calls this with equally many. */
    void sum(long[] values);
}
