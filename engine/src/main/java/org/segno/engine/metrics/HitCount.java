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

    /** Creates the count of what arrives over a link. The frames of the other direction carry it to the origin. */
    public static HitCount ofLink() {
        return new HitCount(MappedMemory.ofProcess(Long.BYTES), 0);
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
