package org.segno.engine.memory;

/**
 * An entry of a table, which another thread or process writes, as it was read. What was derived from it is valid while
 * it is unchanged. Used by one thread.
 */
public final class SeenEntry {
    private final Memory memory;
    private final long offset;
    private final boolean isOneWord;
    private final long first;
    private final long second;
    private final long third;

    private SeenEntry(Memory memory, long offset, boolean isOneWord) {
        this.memory = memory;
        this.offset = offset;
        this.isOneWord = isOneWord;
        this.first = memory.getLongAcquire(offset);
        this.second = isOneWord ? 0 : memory.getLongAcquire(offset + Long.BYTES);
        this.third = isOneWord ? 0 : memory.getLongAcquire(offset + 2 * Long.BYTES);
    }

    /**
     * Reads the first word of an entry, for a table in which that word changes whenever any word of the entry does.
     * Called before the entry is used.
     */
    public static SeenEntry ofWord(Memory memory, long offset) {
        return new SeenEntry(memory, offset, true);
    }

    /** Reads an entry of three words. Called before the entry is used. */
    public static SeenEntry ofThreeWords(Memory memory, long offset) {
        return new SeenEntry(memory, offset, false);
    }

    /** Returns true if the entry is still the same. */
    public boolean isUnchanged() {
        return memory.getLongAcquire(offset) == first
                && (isOneWord
                        || (memory.getLongAcquire(offset + Long.BYTES) == second
                                && memory.getLongAcquire(offset + 2 * Long.BYTES) == third));
    }
}
