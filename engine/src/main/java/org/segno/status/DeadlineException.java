package org.segno.status;

/**
 * Thrown when a wait reaches its deadline. Nothing is lost, and the same wait may be repeated with a later deadline.
 */
public final class DeadlineException extends SegnoException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message the awaited operation, its state, and the missing part
     */
    public DeadlineException(String message) {
        super(message);
    }
}
