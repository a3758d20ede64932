package org.segno.memory;

import org.segno.memory.NodeLayout.Part;

/**
 * Finds a node's windows by the ids in descriptors, from the table that {@link WindowArena} writes. Each word is read once and checked:
 * a window lies in the arena, or is none. So a table that a foreign process has overwritten leads to refusals, never to an access
 * outside the arena. One thread.
 */
public final class WindowTable {
    private final Memory owner;
    private final Memory arena;
    private final long table;
    private final int capacity;
    private long base;

    /** Makes a view of the table of a node. */
    public WindowTable(NodeMemory node) {
        this.owner = node.owner();
        this.arena = node.arena();
        this.table = node.layout().offset(Part.WINDOW_TABLE);
        this.capacity = node.layout().dimensions().windows();
    }

    /** Finds a window. Returns its length in bytes, and {@link #base} where it lies; or {@link WindowArena#NO_WINDOW}. */
    public long open(int id) {
        final int entry = WindowArena.entryOf(id);
        if (entry >= capacity) {
            return WindowArena.NO_WINDOW;
        }
        final long at = table + (long) entry * NodeLayout.WINDOW_LENGTH;
        // The length first: a reader that sees the length of a new window sees its base and incarnation.
        final long length = owner.getLongAcquire(at + WindowArena.LENGTH_OFFSET);
        final long found = owner.getLong(at);
        if (owner.getInt(at + WindowArena.INCARNATION_OFFSET) != WindowArena.incarnationOf(id)
                || !arena.contains(found, length)) {
            return WindowArena.NO_WINDOW;
        }
        base = found;
        return length;
    }

    /** Returns the offset in the arena of the window that was opened last. */
    public long base() {
        return base;
    }
}
