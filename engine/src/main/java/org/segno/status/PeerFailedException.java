package org.segno.status;

/**
 * Thrown when a peer that the awaited operation needs has died, or the link to it has failed. The data of it that have
 * arrived before have been landed.
 */
public final class PeerFailedException extends SegnoException {
    private static final long serialVersionUID = 1L;

    private final int rank;

    /**
     * Creates an exception.
     *
     * @param rank the lost rank
     * @param message the operation that awaited it
     */
    public PeerFailedException(int rank, String message) {
        super(message);
        this.rank = rank;
    }

    /**
     * Returns the rank that was lost.
     *
     * @return the rank that died, or to which the link failed
     */
    public int rank() {
        return rank;
    }
}
