package org.segno.status;

/**
 * A target refused to land a message: outside the counter's range, a counter that does not admit this rank, or one that
 * is disabled. Comes out of the wait on the message's injection counter.
 */
public final class RefusedException extends SegnoException {
    private static final long serialVersionUID = 1L;

    private final int rank;

    /**
     * Makes one.
     *
     * @param rank the rank whose memory the message was for
     * @param message what was refused, and why
     */
    public RefusedException(int rank, String message) {
        super(message);
        this.rank = rank;
    }

    /**
     * Says who refused.
     *
     * @return the rank whose memory the message was for
     */
    public int rank() {
        return rank;
    }
}
