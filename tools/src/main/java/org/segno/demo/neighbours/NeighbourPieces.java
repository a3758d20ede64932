package org.segno.demo.neighbours;

import org.segno.demo.comparison.VirtualRanks;
import org.segno.demo.manytomany.ManyToManyExchange.PieceLists;

/** Pieces of both exchanges with neighbours, for measurements of the same messages by other means. */
public final class NeighbourPieces {
    private NeighbourPieces() {}

    /** Returns the pieces of a rank for the 8 neighbours in four dimensions. */
    public static PieceLists ofFaces(VirtualRanks ranks, int rank, int bytes) {
        return new NeighbourPlan(Neighbourhood.ofFaces(ranks.count(), 4), ranks, rank, bytes).pieces();
    }

    /** Returns the pieces of a rank for the 26 neighbours in three dimensions. */
    public static PieceLists ofAll(VirtualRanks ranks, int rank, int bytes) {
        return new NeighbourPlan(Neighbourhood.ofAll(ranks.count(), 3), ranks, rank, bytes).pieces();
    }
}
