package org.segno.engine.descriptor;

/** Ids of handlers, as messages and notifications name them. */
public final class DispatchIds {
    /** Number of ids; the highest ones are reserved. */
    public static final int COUNT = 1 << 16;

    private DispatchIds() {}

    /** Checks an id that a caller passes. */
    public static void require(int dispatchId) {
        if (dispatchId < 0 || dispatchId >= COUNT) {
            throw new IllegalArgumentException(
                    "dispatch id must be 0 to " + (COUNT - 1) + ": dispatchId=" + dispatchId);
        }
    }
}
