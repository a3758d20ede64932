package org.segno.status;

/** A wait reached its deadline. Nothing was lost, and the same wait may be repeated with a later one. */
public final class DeadlineException extends SegnoException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what was awaited, the state it is in, and what is missing
     */
    public DeadlineException(String message) {
        super(message);
    }
}
