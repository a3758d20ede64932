package org.segno.engine.memory;

import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeLayout.Part;

/**
 * Lookup of a node's windows by the ids in descriptors, in the table that {@code WindowArena} writes. Each word is read
 * once and validated: a window lies in the arena, or it is not a window. If a foreign process overwrites the table,
 * descriptors are therefore refused, and nothing outside the arena is accessed. Used by one thread.
 *
 * <pre>
 *  offset  length  field        meaning                                        written by     access
 *       0       8  base         offset in the arena                            application    plain
 *       8       8  length       bytes, -1 for no window                        application    release, last
 *      16       4  incarnation  number of the use of the entry                 application    plain
 *      20      12  reserved
 *      32          WINDOW_LENGTH
 * </pre>
 */
public final class WindowTable {
    /** Length of an id that is not a window. Every range check against it fails. */
    public static final long NO_WINDOW = -1;

    public static final int LENGTH_OFFSET = 8;
    public static final int INCARNATION_OFFSET = 16;
    private static final int ENTRY_BITS = 16;
    private static final int ENTRY_MASK = (1 << ENTRY_BITS) - 1;

    /** Incarnations have 15 bits, so that ids are not negative. */
    private static final int INCARNATION_MASK = (1 << 15) - 1;

    private final Memory owner;
    private final Memory arena;
    private final long table;
    private final int capacity;
    private long base;

    /** Maps the table of a node. */
    public WindowTable(NodeMemory node) {
        this.owner = node.owner();
        this.arena = node.arena();
        this.table = node.layout().offset(Part.WINDOW_TABLE);
        this.capacity = node.layout().dimensions().windows();
    }

    /**
     * Looks up a window. Returns its length in bytes and sets {@link #base} to its offset, or returns
     * {@link #NO_WINDOW}.
     */
    public long open(int id) {
        final int entry = entryOf(id);
        if (entry >= capacity) {
            return NO_WINDOW;
        }
        final long at = table + (long) entry * NodeLayout.WINDOW_LENGTH;
        // Read the length first: a reader that sees the length of a new window also sees its base and incarnation.
        final long length = owner.getLongAcquire(at + LENGTH_OFFSET);
        final long found = owner.getLong(at);
        if (owner.getInt(at + INCARNATION_OFFSET) != incarnationOf(id) || !arena.contains(found, length)) {
            return NO_WINDOW;
        }
        base = found;
        return length;
    }

    /** Returns the entry of a window as it is, or null for an id without one. */
    public @Nullable SeenEntry seen(int id) {
        final int entry = entryOf(id);
        return entry >= capacity
                ? null
                : SeenEntry.ofThreeWords(owner, table + (long) entry * NodeLayout.WINDOW_LENGTH);
    }

    /** Returns the offset in the arena of the window that was looked up last. */
    public long base() {
        return base;
    }

    /** Returns the entry in the window table of a window's id. */
    public static int entryOf(int id) {
        return id & ENTRY_MASK;
    }

    /** Returns the number of the use of that entry. */
    public static int incarnationOf(int id) {
        return id >>> ENTRY_BITS;
    }

    /** Returns the id of an entry in one of its uses. */
    public static int idOf(int entry, int incarnation) {
        return entry | (incarnation << ENTRY_BITS);
    }

    /** Returns the incarnation that follows another one. */
    public static int next(int incarnation) {
        return (incarnation + 1) & INCARNATION_MASK;
    }
}
