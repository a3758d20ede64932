package org.segno.status;

/** A peer that the awaited operation needs has died. What it had sent before has been landed. */
public final class PeerFailedException extends SegnoException {
    private static final long serialVersionUID = 1L;

    private final int rank;

    /**
     * Makes one.
     *
     * @param rank the dead rank
     * @param message what was awaited of it
     */
    public PeerFailedException(int rank, String message) {
        super(message);
        this.rank = rank;
    }

    /**
     * Says who died.
     *
     * @return the dead rank
     */
    public int rank() {
        return rank;
    }
}
