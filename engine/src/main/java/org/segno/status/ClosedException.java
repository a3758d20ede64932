package org.segno.status;

/** Thrown when the object of a wait or of a call has been closed, by this process or because the job has ended. */
public final class ClosedException extends SegnoException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message the closed object and the reason
     */
    public ClosedException(String message) {
        super(message);
    }
}
