package org.segno.operation;

/**
 * What PUT, COUNT, REMOTE_GET and RMW reach: a reception counter, or a pair of them, that a rank has published.
 *
 * @param rank the owner
 * @param counter id of the counter, of a pair the even one
 * @param incarnation which use of that id
 * @param length bytes from the counter's base that may be accessed
 * @param alternate true for a pair: the round decides which of the two
 */
public record Target(int rank, int counter, int incarnation, long length, boolean alternate) {
    public Target {
        if (rank < 0) {
            throw new IllegalArgumentException("a target's rank counts from 0: rank=" + rank);
        }
    }

    /** Of a pair the counter of a round, for what is injected outside a pattern. */
    public Target ofRound(long round) {
        return alternate ? new Target(rank, counter + ((int) round & 1), incarnation, length, false) : this;
    }
}
