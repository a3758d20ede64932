package org.segno.bench.harness;

import java.util.List;

/**
 * What a run measured.
 *
 * @param slices every counted slice
 * @param waited the larger part of the time that one of the workers was ready to run and had no core, because something else
 *     ran there; figures of a run where this is more than a few percent are not worth keeping
 */
public record Measured(List<Slice> slices, double waited) {
    /** Copies the list. */
    public Measured {
        slices = List.copyOf(slices);
    }
}
