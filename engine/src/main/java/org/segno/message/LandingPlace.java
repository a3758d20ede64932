package org.segno.message;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.ContextAccess;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Window;

/** The location at which a message lands, and its completion there. Reusable; used by one thread. */
final class LandingPlace {
    @Nullable
    Window window;

    long offset;

    @Nullable
    Completion completion;

    private final Client client;

    LandingPlace(Client client) {
        this.client = client;
    }

    void clear() {
        window = null;
        completion = null;
    }

    /** Returns true if a location is set. */
    boolean isSet() {
        return window != null;
    }

    /**
     * Sets the location of a message of {@code length} bytes.
     *
     * @throws IllegalArgumentException if the message does not fit there, or the window belongs to another node
     * @throws IllegalStateException if the window is closed
     */
    void set(Window target, long targetOffset, long length, Completion landed) {
        Objects.requireNonNull(landed, "landed");
        ContextAccess.requireOf(client, target);
        MemoryAccess.requireRange(target, "landing", targetOffset, length);
        window = target;
        offset = targetOffset;
        completion = landed;
    }
}
