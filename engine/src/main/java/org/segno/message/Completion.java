package org.segno.message;

import org.jspecify.annotations.Nullable;
import org.segno.status.SegnoException;

/**
 * Callback at the end of a message. It runs once, on the thread that advances the context. It may inject, but not
 * advance or wait. A short message without a handler is no failure, because it was stored at its target; a long message
 * without a handler is one.
 */
@FunctionalInterface
public interface Completion {
    /**
     * Handles the end of the message.
     *
     * @param failure null on success; otherwise the reason: {@link org.segno.status.PeerFailedException},
     *     {@link org.segno.status.RefusedException}, or {@link org.segno.status.ClosedException} if the other rank has
     *     left
     */
    void onComplete(@Nullable SegnoException failure);
}
