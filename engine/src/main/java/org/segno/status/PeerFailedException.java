package org.segno.status;

/** Thrown when a peer that the awaited operation needs has died. The data that it had sent before have been landed. */
public final class PeerFailedException extends SegnoException {
    private static final long serialVersionUID = 1L;

    private final int rank;

    /**
     * Creates an exception.
     *
     * @param rank the dead rank
     * @param message the operation that awaited it
     */
    public PeerFailedException(int rank, String message) {
        super(message);
        this.rank = rank;
    }

    /**
     * Returns the rank that died.
     *
     * @return the dead rank
     */
    public int rank() {
        return rank;
    }
}
