package org.segno.simulator;

import java.util.List;

/**
 * A geometry that a simulation has drawn.
 *
 * @param number different for each; 0 for the geometry of all ranks
 * @param ranks of its members, in their order
 */
record DrawnGeometry(int number, List<Integer> ranks) {
    DrawnGeometry {
        ranks = List.copyOf(ranks);
    }

    /** Returns the number of a rank as a member, or -1. */
    int member(int rank) {
        return ranks.indexOf(rank);
    }

    int size() {
        return ranks.size();
    }
}
