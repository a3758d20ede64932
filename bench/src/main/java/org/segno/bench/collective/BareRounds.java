package org.segno.bench.collective;

import org.agrona.UnsafeApi;

/**
 * The least that a start of a recorded round does: it reads and updates a line of its pattern, reads the word of the
 * last executed round, and writes an entry of a ring and its tail. Calls between two starts evict these lines from the
 * caches. Used by one thread.
 *
 * <pre>
 *  offset  length  field     contents                              written by
 *       0       8  executed  last executed round                   executing end
 *    4096       8  pattern   last started round                    starting end
 *    8192  1024x32  ring     first slot, slots, round, pattern     starting end
 *   40960       8  tail      position behind the last entry        starting end
 * </pre>
 */
final class BareRounds {
    private static final int ENTRIES = 1024;
    private static final int ENTRY_LENGTH = 32;
    private static final int PATTERN_OFFSET = 4096;
    private static final int RING_OFFSET = 8192;
    private static final int TAIL_OFFSET = RING_OFFSET + ENTRIES * ENTRY_LENGTH;
    private static final int LENGTH = TAIL_OFFSET + 4096;

    private final long memory = UnsafeApi.allocateMemory(LENGTH);
    private long tail;

    BareRounds() {
        UnsafeApi.setMemory(memory, LENGTH, (byte) 0);
    }

    void start() {
        final long started = UnsafeApi.getLong(memory + PATTERN_OFFSET);
        if (UnsafeApi.getLongAcquire(null, memory) != started) {
            throw new IllegalStateException("the last round is not executed: round=" + started);
        }
        final long entry = memory + RING_OFFSET + (tail & (ENTRIES - 1)) * ENTRY_LENGTH;
        UnsafeApi.putLong(entry, 0);
        UnsafeApi.putLong(entry + Long.BYTES, 1);
        UnsafeApi.putLong(entry + 2 * Long.BYTES, started + 1);
        UnsafeApi.putLong(entry + 3 * Long.BYTES, 0);
        UnsafeApi.putLong(memory + PATTERN_OFFSET, started + 1);
        tail++;
        UnsafeApi.putLongRelease(null, memory + TAIL_OFFSET, tail);
    }

    /** Executes the started round, which does nothing. */
    void execute() {
        final long position = UnsafeApi.getLongAcquire(null, memory + TAIL_OFFSET) - 1;
        final long entry = memory + RING_OFFSET + (position & (ENTRIES - 1)) * ENTRY_LENGTH;
        UnsafeApi.putLongRelease(null, memory, UnsafeApi.getLong(entry + 2 * Long.BYTES));
    }
}
