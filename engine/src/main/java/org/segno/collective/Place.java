package org.segno.collective;

/**
 * Memory of one member that a schedule reads or writes, from an offset on: its contribution, its result, scratch
 * memory, or landed data.
 */
public final class Place {
    /** Kinds of memory. */
    enum Region {
        SOURCE,
        TARGET,
        SCRATCH,
        INLET
    }

    private final Region region;
    private final int inlet;
    private final long offset;

    Place(Region region, int inlet, long offset) {
        this.region = region;
        this.inlet = inlet;
        this.offset = offset;
    }

    /** Returns the place {@code bytes} further. */
    public Place at(long bytes) {
        return new Place(region, inlet, offset + bytes);
    }

    Region region() {
        return region;
    }

    /** Returns the number of the inlet, if it is one. */
    int inlet() {
        return inlet;
    }

    long offset() {
        return offset;
    }

    boolean isSameAs(Place other) {
        return region == other.region && inlet == other.inlet && offset == other.offset;
    }
}
