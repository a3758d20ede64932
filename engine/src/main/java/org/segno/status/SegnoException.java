package org.segno.status;

import org.jspecify.annotations.Nullable;

/**
 * Thrown when Segno cannot carry out a request. The message has the obstacle and the remedy.
 *
 * <p>This class itself is thrown where a job is created or joined, because the environment is unfit or a peer differs.
 * Its four subclasses come from waits.
 */
public class SegnoException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates an exception.
     *
     * @param message the object, its value and the remedy
     */
    public SegnoException(String message) {
        super(message);
    }

    /**
     * Creates an exception.
     *
     * @param message the object, its value and the remedy
     * @param cause the underlying failure
     */
    public SegnoException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
