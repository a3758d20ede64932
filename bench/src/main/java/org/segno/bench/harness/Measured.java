package org.segno.bench.harness;

import java.util.List;

/**
 * Measurements of a run.
 *
 * @param slices every counted slice
 * @param waited fraction of the time for which a worker was ready to run but had no core, because another program ran
 *     there; the larger of the two workers. Figures of a run with more than a few percent are not worth keeping
 */
public record Measured(List<Slice> slices, double waited) {
    /** Copies the list. */
    public Measured {
        slices = List.copyOf(slices);
    }
}
