package org.segno.collective;

/**
 * Memory of one member that a schedule reads or writes, from an offset on: its contribution, its result, scratch
 * memory, or what has landed.
 */
public final class Place {
    /** Where a place lies. */
    enum Region {
        SOURCE,
        TARGET,
        SCRATCH,
        LANDING
    }

    private final Region region;
    private final int landing;
    private final long offset;

    Place(Region region, int landing, long offset) {
        this.region = region;
        this.landing = landing;
        this.offset = offset;
    }

    /** Returns the place {@code bytes} further. */
    public Place at(long bytes) {
        return new Place(region, landing, offset + bytes);
    }

    Region region() {
        return region;
    }

    /** Returns the number of the landing, if it is one. */
    int landing() {
        return landing;
    }

    long offset() {
        return offset;
    }

    boolean isSameAs(Place other) {
        return region == other.region && landing == other.landing && offset == other.offset;
    }
}
