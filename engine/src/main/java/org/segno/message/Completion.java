package org.segno.message;

import org.jspecify.annotations.Nullable;
import org.segno.status.SegnoException;

/**
 * Hears of the end of a message, on the thread that advances the context, once; it may inject, but not advance or wait. That a short
 * message found no handler is no failure, for it lies with its target; of a long one it is.
 */
@FunctionalInterface
public interface Completion {
    /**
     * It has ended.
     *
     * @param failure null when all went well, or why it did not: {@link org.segno.status.PeerFailedException},
     *     {@link org.segno.status.RefusedException}, or {@link org.segno.status.ClosedException} if the other rank has left
     */
    void onComplete(@Nullable SegnoException failure);
}
