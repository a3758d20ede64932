package org.segno.status;

/**
 * Thrown when a target has refused to land a message: the message lies outside the counter's range, or the counter does
 * not admit this rank, or it is disabled. The wait on the message's injection counter throws it.
 */
public final class RefusedException extends SegnoException {
    private static final long serialVersionUID = 1L;

    private final int rank;

    /**
     * Creates an exception.
     *
     * @param rank the rank of the message's target
     * @param message the refused operation and the reason
     */
    public RefusedException(int rank, String message) {
        super(message);
        this.rank = rank;
    }

    /**
     * Returns the rank that refused the message.
     *
     * @return the rank of the message's target
     */
    public int rank() {
        return rank;
    }
}
