package org.segno.message;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.ContextAccess;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Window;

/** The location at which a long message lands, set by its handler. */
public final class LandingPlace {
    @Nullable
    Window window;

    long offset;

    @Nullable
    Completion completion;

    private final Client client;
    private long length;

    LandingPlace(Client client) {
        this.client = client;
    }

    void ask(long bytes) {
        window = null;
        completion = null;
        length = bytes;
    }

    /**
     * Sets the location to {@code target} at {@code targetOffset}. Until {@code landed} has run, nothing else may write
     * to that range, and the window must remain open. {@code landed} runs when the message has landed or failed.
     *
     * @throws IllegalArgumentException if the message does not fit there, or the window belongs to another node
     * @throws IllegalStateException if the window is closed
     */
    public void into(Window target, long targetOffset, Completion landed) {
        Objects.requireNonNull(landed, "landed");
        ContextAccess.requireOf(client, target);
        MemoryAccess.requireRange(target, "landing", targetOffset, length);
        window = target;
        offset = targetOffset;
        completion = landed;
    }
}
