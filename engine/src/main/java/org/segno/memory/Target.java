package org.segno.memory;

/**
 * A reception counter, or a pair of them, that a rank has published: the target of PUT, COUNT, REMOTE_GET and RMW.
 * {@link #nowhere()} stands for a neighbour that does not exist.
 *
 * @param rank the owner
 * @param counter id of the counter; for a pair, of its even counter
 * @param incarnation number of the use of that id
 * @param length bytes from the counter's base that may be accessed
 * @param alternate true for a pair: the round selects one of its counters
 */
public record Target(int rank, int counter, int incarnation, long length, boolean alternate) {
    private static final Target NOWHERE = new Target(Integer.MAX_VALUE, 0, 0, Long.MAX_VALUE, false);

    public Target {
        if (rank < 0) {
            throw new IllegalArgumentException("the rank of a target must not be negative: rank=" + rank);
        }
    }

    /**
     * Returns the target of operations that do nothing, for a rank at the edge of a grid, as {@code MPI_PROC_NULL}. A
     * put, get, rmw or count with it injects and records nothing and returns 0; any offset is valid. Local counters
     * that the operation names are counted down at once by its length, as if it had been carried out. A get leaves its
     * destination unchanged, an rmw its result, and no handler is notified.
     *
     * <p>Nothing is ever sent from nowhere. A rank that expects data of a neighbour expects none of this one:
     * {@code context.expect(pair, left.isNowhere() ? 0 : length)}.
     */
    public static Target nowhere() {
        return NOWHERE;
    }

    /** Returns true for {@link #nowhere()}. */
    public boolean isNowhere() {
        return rank == Integer.MAX_VALUE;
    }

    /** Returns the counter of a round as a target, for a pair that is used outside a pattern. */
    public Target ofRound(long round) {
        return alternate ? new Target(rank, counter + ((int) round & 1), incarnation, length, false) : this;
    }

    @Override
    public String toString() {
        return isNowhere()
                ? "Target.nowhere()"
                : "Target[rank=" + rank + ", counter=" + counter + ", incarnation=" + incarnation + ", length=" + length
                        + ", alternate=" + alternate + "]";
    }
}
