package org.segno.engine.metrics;

import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;

/** Count of the counters that one engine, landing for one origin, has brought to zero or below. It has one writer. */
public final class HitCount {
    private final Memory memory;
    private final long offset;

    HitCount(Memory memory, long offset) {
        this.memory = memory;
        this.offset = offset;
    }

    /**
     * Creates the count of what arrives over a link. The frames of the other direction carry it to the origin.
     *
     * @param first count before the first hit, modulo 2^32
     */
    public static HitCount ofLink(int first) {
        final HitCount hits = new HitCount(MappedMemory.ofProcess(Long.BYTES), 0);
        hits.memory.putLong(hits.offset, first);
        return hits;
    }

    /** Counts a hit. */
    public void add() {
        memory.putLongRelease(offset, memory.getLong(offset) + 1);
    }

    /** Returns the count, modulo 2^32. Called by the writer. */
    public int low() {
        return (int) memory.getLong(offset);
    }
}
