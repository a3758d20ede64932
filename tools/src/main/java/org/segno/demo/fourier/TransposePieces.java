package org.segno.demo.fourier;

import java.util.ArrayList;
import java.util.List;
import org.segno.demo.comparison.VirtualRanks;
import org.segno.demo.manytomany.ManyToManyExchange.PieceLists;

/** Pieces of the four transposes of a transform, for measurements of the same messages by other means. */
public final class TransposePieces {
    private TransposePieces() {}

    /** Returns the pieces of a rank in each transpose of a grid with {@code grid} points in each dimension. */
    public static List<PieceLists> of(int grid, VirtualRanks ranks, int rank) {
        final PencilWorkload workload = new PencilWorkload(grid, ranks, rank);
        final List<PieceLists> transposes = new ArrayList<>();
        for (int phase = 0; phase < PencilTransform.PHASES; phase++) {
            transposes.add(workload.transpose(phase).pieces());
        }
        return transposes;
    }
}
