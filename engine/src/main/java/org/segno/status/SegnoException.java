package org.segno.status;

import org.jspecify.annotations.Nullable;

/**
 * Segno cannot do what was asked, and the message says what stands in the way and the remedy.
 *
 * <p>Thrown as it is where a job is made or joined (the environment is not fit, a peer differs); its four kinds come from
 * waits.
 */
public class SegnoException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Makes one.
     *
     * @param message the thing, its value and the remedy
     */
    public SegnoException(String message) {
        super(message);
    }

    /**
     * Makes one.
     *
     * @param message the thing, its value and the remedy
     * @param cause what failed below
     */
    public SegnoException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
