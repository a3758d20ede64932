package org.segno.memory;

/**
 * A reception counter, or a pair of them, that a rank has published: the target of PUT, COUNT, REMOTE_GET and RMW.
 *
 * @param rank the owner
 * @param counter id of the counter; for a pair, of its even counter
 * @param incarnation number of the use of that id
 * @param length bytes from the counter's base that may be accessed
 * @param alternate true for a pair: the round selects one of its counters
 */
public record Target(int rank, int counter, int incarnation, long length, boolean alternate) {
    public Target {
        if (rank < 0) {
            throw new IllegalArgumentException("the rank of a target must not be negative: rank=" + rank);
        }
    }

    /** Returns the counter of a round as a target, for a pair that is used outside a pattern. */
    public Target ofRound(long round) {
        return alternate ? new Target(rank, counter + ((int) round & 1), incarnation, length, false) : this;
    }
}
