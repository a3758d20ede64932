package org.segno.demo.neighbours;

import org.segno.demo.comparison.VirtualRanks;
import org.segno.demo.manytomany.ManyToManyExchange.PieceLists;
import org.segno.demo.manytomany.PieceList;

/**
 * Pieces that a rank sends and receives for its virtual ranks: on each side one slot for each virtual rank and
 * direction.
 *
 * @param neighbourhood neighbours of each virtual rank
 * @param ranks assignment of virtual ranks to ranks
 * @param rank this rank
 * @param bytes length of a piece
 */
record NeighbourPlan(Neighbourhood neighbourhood, VirtualRanks ranks, int rank, int bytes) {
    PieceLists pieces() {
        final PieceList sent = new PieceList();
        final PieceList received = new PieceList();
        for (int source = 0; source < ranks.count(); source++) {
            for (int direction = 0; direction < neighbourhood.directions(); direction++) {
                final int target = neighbourhood.neighbour(source, direction);
                if (ranks.rankOf(source) == rank) {
                    sent.add(ranks.rankOf(target), slot(source, direction), bytes);
                }
                if (ranks.rankOf(target) == rank) {
                    received.add(ranks.rankOf(source), slot(target, neighbourhood.opposite(direction)), bytes);
                }
            }
        }
        return new PieceLists(sent, received);
    }

    /** Returns the offset of the piece of an own virtual rank that is sent or received in a direction. */
    long slot(int virtual, int direction) {
        return ((long) (virtual - ranks.first(rank)) * neighbourhood.directions() + direction) * bytes;
    }
}
