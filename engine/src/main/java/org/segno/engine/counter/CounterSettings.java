package org.segno.engine.counter;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;

/**
 * Settings of a reception counter: its range, its admitted sources and their rights. The owner writes them; the engine
 * that lands reads them.
 *
 * <p>The sources refer to a set of ranks as {@link RankSets} describes.
 *
 * <p>Everything except the state is written before the state is set to enabled, and does not change while it is.
 *
 * <pre>
 *  offset  length  field        meaning                                            written by   access
 *       0       8  state        flags in the low 32 bits, incarnation above        owner        release
 *       8       8  base         offset in the owner's arena                        owner        plain
 *      16       8  limit        bytes from the base that may be accessed           owner        plain
 *      24       4  sources      one rank, {@link #ANYBODY}, {@link #NOBODY} or a set  owner        plain
 *      28       4  context      which context receives the hits                    owner        plain
 *      32      32  reserved
 *      64          LENGTH
 * </pre>
 */
public final class CounterSettings {
    /** State flag: the operations that the rights allow are admitted. */
    public static final int ENABLED = 1;

    /** State flag: a hit raises an event of the owner, by a record in its lane or as an owed one. */
    public static final int EVENTS = 2;

    /** State flag, a right of the sources: landings and counts. */
    public static final int PUT = 4;

    /** State flag, a right of the sources: reads. */
    public static final int GET = 8;

    /** State flag, a right of the sources: atomic operations. */
    public static final int ATOMIC = 16;

    /** State flag: counting the value below zero is an error. */
    public static final int NO_UNDERFLOW = 32;

    /** All valid state flags. An owner sets no other flag. */
    public static final int ALL_FLAGS = ENABLED | EVENTS | PUT | GET | ATOMIC | NO_UNDERFLOW;

    /** Sources: every rank of the job. */
    public static final int ANYBODY = -1;

    /** Sources: no rank; only the owner changes the counter. */
    public static final int NOBODY = -2;

    private static final int BASE_OFFSET = 8;
    private static final int LIMIT_OFFSET = 16;
    private static final int SOURCES_OFFSET = 24;
    private static final int CONTEXT_OFFSET = 28;

    private final Memory memory;
    private final long offset;

    /** Maps the settings of one counter of a node. */
    public CounterSettings(NodeMemory node, int counter) {
        this.memory = node.owner();
        this.offset = node.counterSettingsOffset(counter);
    }

    /** Returns flags and incarnation. They are read before the rest. */
    public static long stateAcquire(Memory memory, long offset) {
        return memory.getLongAcquire(offset);
    }

    public static int flags(long state) {
        return (int) state;
    }

    /** Returns true if the flags of a state include {@code flag}. */
    public static boolean has(int flags, int flag) {
        return (flags & flag) != 0;
    }

    public static int incarnation(long state) {
        return (int) (state >>> 32);
    }

    public static long base(Memory memory, long offset) {
        return memory.getLong(offset + BASE_OFFSET);
    }

    public static long limit(Memory memory, long offset) {
        return memory.getLong(offset + LIMIT_OFFSET);
    }

    public static int sources(Memory memory, long offset) {
        return memory.getInt(offset + SOURCES_OFFSET);
    }

    public static int context(Memory memory, long offset) {
        return memory.getInt(offset + CONTEXT_OFFSET);
    }

    /** Sets the range and its sources. Called by the owner while the counter is disabled. */
    public void range(long base, long limit, int sources) {
        memory.putLong(offset + BASE_OFFSET, base);
        memory.putLong(offset + LIMIT_OFFSET, limit);
        memory.putInt(offset + SOURCES_OFFSET, sources);
    }

    /** Sends hits to a context. Called by the owner before it publishes the counter. */
    public void events(int context) {
        memory.putInt(offset + CONTEXT_OFFSET, context);
        set(EVENTS);
    }

    private void set(int flag) {
        memory.putLongRelease(offset, memory.getLong(offset) | flag);
    }

    /** Makes underflow an error. Called by the owner before it publishes the counter. */
    public void forbidUnderflow() {
        set(NO_UNDERFLOW);
    }

    /**
     * Enables the counter: from now on it admits the operations that the rights allow. Called by the owner.
     *
     * @param flags the rights, and other state flags
     */
    public void enable(int incarnation, int flags) {
        memory.putLongRelease(offset, ENABLED | flags | (long) incarnation << 32);
    }

    /** Returns true if the counter is enabled. Called by the owner. */
    public boolean isEnabled() {
        return has(flags(memory.getLong(offset)), ENABLED);
    }

    /** Disables the counter: operations that have not begun are refused. Called by the owner. */
    public void disable() {
        refuse(memory.getLong(offset) & ~(long) ENABLED);
    }

    /**
     * Disables the counter, as {@link #disable} does, permanently: the next use of the id has another incarnation.
     * Called by the owner.
     */
    public void retire(int nextIncarnation) {
        refuse((long) nextIncarnation << 32);
    }

    private void refuse(long state) {
        memory.putLongRelease(offset, state);
    }
}
