package org.segno.status;

/** What was waited for, or used, has been closed: by this process, or because the job has ended. */
public final class ClosedException extends SegnoException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message what was closed, and why
     */
    public ClosedException(String message) {
        super(message);
    }
}
