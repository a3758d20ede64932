package org.segno.message;

import org.jspecify.annotations.Nullable;
import org.segno.memory.Window;

/** Where a long message shall land: filled in by its handler. */
public final class LandingPlace {
    @Nullable
    Window window;

    long offset;

    @Nullable
    Completion completion;

    private long length;

    LandingPlace() {}

    void ask(long bytes) {
        window = null;
        completion = null;
        length = bytes;
    }

    /**
     * The message lands in {@code target} from {@code targetOffset} on; nobody else writes there until {@code landed} has heard that it
     * has, or why not.
     *
     * @throws IllegalArgumentException if it does not fit there
     */
    public void into(Window target, long targetOffset, Completion landed) {
        target.requireRange("landing", targetOffset, length);
        window = target;
        offset = targetOffset;
        completion = landed;
    }
}
