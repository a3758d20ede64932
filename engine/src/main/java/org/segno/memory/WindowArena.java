package org.segno.memory;

import org.agrona.BitUtil;
import org.segno.memory.NodeLayout.Part;

/**
 * Hands out windows from a node's arena and keeps the table by which its engine finds them.
 *
 * <p>Memory is given out once. The application's thread opens windows; the engine reads base and length of an id that a
 * descriptor named, and the store that published the descriptor published the entry too.
 *
 * <pre>
 *  offset  length  field     meaning                            written by     access
 *       0       8  base      offset in the arena                application    plain
 *       8       8  length    bytes                              application    release: a length of -1 is no window
 *      16      16  reserved
 *      32          WINDOW_LENGTH
 * </pre>
 */
public final class WindowArena {
    /** Returned for the length of an id that is no window: every range check against it fails. */
    public static final long NO_WINDOW = -1;

    private static final int LENGTH_OFFSET = 8;

    private final NodeMemory node;
    private final long table;
    private final int capacity;
    private int count;
    private long used;

    public WindowArena(NodeMemory node) {
        this.node = node;
        this.table = node.layout().offset(Part.WINDOW_TABLE);
        this.capacity = node.layout().dimensions().windows();
        for (int id = 0; id < capacity; id++) {
            node.owner().putLong(entry(id) + LENGTH_OFFSET, NO_WINDOW);
        }
    }

    /**
     * Opens a window of {@code bytes}, zeroed, aligned to 128 bytes. Called by one thread at a time.
     *
     * @throws IllegalArgumentException if the arena or the table has no room; says how much is left
     */
    public Window open(long bytes) {
        final long arena = node.layout().length(Part.WINDOWS);
        if (bytes <= 0 || bytes > arena - used) {
            throw new IllegalArgumentException("a window must have between 1 byte and what the arena has left: bytes="
                    + bytes + ", left=" + (arena - used) + " of " + arena + "; raise windowBytes");
        }
        if (count == capacity) {
            throw new IllegalArgumentException("all " + capacity + " windows are in use; raise windows");
        }
        final int id = count++;
        final Window window = new Window(id, node, used, bytes);
        node.owner().putLong(entry(id), used);
        node.owner().putLongRelease(entry(id) + LENGTH_OFFSET, bytes);
        used = Math.min(arena, BitUtil.align(used + bytes, NodeLayout.LINE_PAIR));
        return window;
    }

    /** Engine: offset in the arena of a window that exists. */
    public long base(int id) {
        return node.owner().getLong(entry(id));
    }

    /** Engine: bytes of the window, or {@link #NO_WINDOW}. */
    public long length(int id) {
        if (id < 0 || id >= capacity) {
            return NO_WINDOW;
        }
        return node.owner().getLongAcquire(entry(id) + LENGTH_OFFSET);
    }

    private long entry(int id) {
        return table + (long) id * NodeLayout.WINDOW_LENGTH;
    }
}
