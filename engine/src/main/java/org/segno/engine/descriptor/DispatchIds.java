package org.segno.engine.descriptor;

/** Ids of handlers, as messages and notifications name them. */
public final class DispatchIds {
    /** Number of ids. */
    public static final int COUNT = 1 << 16;

    /** Id of the announcements of long messages, the highest one. Programs neither register it nor send to it. */
    public static final int RESERVED = COUNT - 1;

    private DispatchIds() {}

    /** Checks an id that a caller passes. */
    public static void require(int dispatchId) {
        if (dispatchId == RESERVED) {
            throw new IllegalArgumentException(
                    "dispatch id " + RESERVED + " is reserved for announcements of long messages; choose a lower one");
        }
        if (dispatchId < 0 || dispatchId > RESERVED) {
            throw new IllegalArgumentException(
                    "dispatch id must be 0 to " + (RESERVED - 1) + ": dispatchId=" + dispatchId);
        }
    }
}
