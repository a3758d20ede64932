package org.segno.memory;

import org.segno.memory.NodeLayout.Part;

/**
 * Lookup of a node's windows by the ids in descriptors, in the table that {@link WindowArena} writes. Each word is read
 * once and validated: a window lies in the arena, or it is not a window. If a foreign process overwrites the table,
 * descriptors are therefore refused, and nothing outside the arena is accessed. Used by one thread.
 */
public final class WindowTable {
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
     * {@link WindowArena#NO_WINDOW}.
     */
    public long open(int id) {
        final int entry = WindowArena.entryOf(id);
        if (entry >= capacity) {
            return WindowArena.NO_WINDOW;
        }
        final long at = table + (long) entry * NodeLayout.WINDOW_LENGTH;
        // Read the length first: a reader that sees the length of a new window also sees its base and incarnation.
        final long length = owner.getLongAcquire(at + WindowArena.LENGTH_OFFSET);
        final long found = owner.getLong(at);
        if (owner.getInt(at + WindowArena.INCARNATION_OFFSET) != WindowArena.incarnationOf(id)
                || !arena.contains(found, length)) {
            return WindowArena.NO_WINDOW;
        }
        base = found;
        return length;
    }

    /** Returns the offset in the arena of the window that was looked up last. */
    public long base() {
        return base;
    }
}
