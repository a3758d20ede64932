package org.segno.message;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.NodeShare;
import org.segno.memory.Window;

/** Where a long message shall land: filled in by its handler. */
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
     * The message lands in {@code target} from {@code targetOffset} on; nobody else writes there, and the window stays open, until
     * {@code landed} has heard that it has, or why not.
     *
     * @throws IllegalArgumentException if it does not fit there, or another node made the window
     * @throws IllegalStateException if the window is closed
     */
    public void into(Window target, long targetOffset, Completion landed) {
        Objects.requireNonNull(landed, "landed");
        NodeShare.requireOf(client, target);
        target.requireRange("landing", targetOffset, length);
        window = target;
        offset = targetOffset;
        completion = landed;
    }
}
