package org.segno.bench.report;

import java.util.List;
import java.util.function.ToDoubleFunction;

/** Median of the figures of a few runs. */
public final class Median {
    private Median() {}

    /** Returns the median of a figure of {@code runs}; of an even number the larger one of the two in the middle. */
    public static <T> double of(List<T> runs, ToDoubleFunction<T> figure) {
        final double[] sorted = runs.stream().mapToDouble(figure).sorted().toArray();
        return sorted[sorted.length / 2];
    }
}
