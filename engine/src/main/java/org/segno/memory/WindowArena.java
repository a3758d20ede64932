package org.segno.memory;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.memory.NodeLayout.Part;

/**
 * Hands out windows from a node's arena and keeps the table by which its engine finds them.
 *
 * <p>The application's thread opens and closes windows; the engine reads base and length of an id that a descriptor named
 * ({@link WindowTable}), and the store that published the descriptor published the entry too. Entries and memory are used again once nobody can come to them any
 * more, which the caller sees to. An id is an entry and which use of it is meant: an id that is still named by mistake after its
 * window was closed is no window. Ids repeat after 32,768 uses of an entry.
 *
 * <pre>
 *  offset  length  field        meaning                                        written by     access
 *       0       8  base         offset in the arena                            application    plain
 *       8       8  length       bytes, -1 for no window                        application    release, last
 *      16       4  incarnation  which use of the entry                         application    plain
 *      20      12  reserved
 *      32          WINDOW_LENGTH
 * </pre>
 */
public final class WindowArena {
    /** Returned for the length of an id that is no window: every range check against it fails. */
    public static final long NO_WINDOW = -1;

    static final int LENGTH_OFFSET = 8;
    static final int INCARNATION_OFFSET = 16;
    private static final int ENTRY_BITS = 16;
    private static final int ENTRY_MASK = (1 << ENTRY_BITS) - 1;

    /** Ids are not negative. */
    private static final int INCARNATION_MASK = (1 << 15) - 1;

    private static final int ZERO_CHUNK_LENGTH = 1 << 30;

    private final NodeMemory node;
    private final long table;
    private final int capacity;
    private final long arenaEnd;
    private long length;
    private final FreeSpace memory;
    private final FreeSpace entries;
    private final Map<Integer, Window> opened = new ConcurrentHashMap<>();

    /** By entry: the number of its current or next use. The table in the file is only written, never trusted. */
    private final int[] incarnations;

    /** Above it nothing has been used, so that it is zero. */
    private long used;

    private long closing;
    private int closingCount;

    public WindowArena(NodeMemory node) {
        this.node = node;
        this.table = node.layout().offset(Part.WINDOW_TABLE);
        this.capacity = node.layout().dimensions().windows();
        this.arenaEnd = node.layout().length(Part.WINDOWS);
        this.length = arenaEnd;
        this.memory = new FreeSpace(length);
        this.entries = new FreeSpace(capacity);
        this.incarnations = new int[capacity];
        for (int entry = 0; entry < capacity; entry++) {
            node.owner().putLong(offset(entry) + LENGTH_OFFSET, NO_WINDOW);
        }
    }

    private WindowArena(WindowArena from, long bytes) {
        this.node = from.node;
        this.table = from.table;
        this.capacity = from.capacity;
        this.arenaEnd = from.arenaEnd;
        this.length = bytes;
        this.memory = from.memory.part(bytes);
        this.entries = from.entries;
        this.incarnations = from.incarnations;
        // What has been used of it before is zeroed when it is used again: as if all of it had been, where any was.
        this.used = bytes > 0 && memory.first() < from.used ? arenaEnd : 0;
        from.length -= bytes;
    }

    /**
     * Gives memory away for good, to an arena of its own; the table of windows serves both. {@link #free} allows it.
     *
     * @param bytes whole lines of 128
     */
    public WindowArena part(long bytes) {
        return new WindowArena(this, bytes);
    }

    /** Bytes that can be given away. */
    public long free() {
        return memory.largest();
    }

    /**
     * Opens a window of {@code bytes}, zeroed, aligned to 128 bytes. Called by one thread at a time.
     *
     * @throws IllegalArgumentException if the arena or the table has no room; says how much is left
     */
    public Window open(long bytes) {
        final long left = memory.largest();
        if (bytes <= 0 || bytes > left) {
            throw new IllegalArgumentException("a window must have between 1 byte and what the arena has left: bytes="
                    + bytes + ", left=" + left + " of " + length + inPieces(memory.free() - left)
                    + beingClosed(closing, " bytes") + "; raise windowBytes");
        }
        final long entry = entries.take(1);
        if (entry < 0) {
            throw new IllegalArgumentException("all " + capacity + " windows are in use" + beingClosed(closingCount, "")
                    + "; close some, or open fewer and larger ones: a node has no more");
        }
        // All that is free is whole lines, but for what the arena's end cuts short: that is taken to the end.
        final long base = memory.take(Math.min(lines(bytes), left));
        zero(base, Math.min(bytes, used - base));
        used = Math.max(used, base + bytes);
        final long at = offset((int) entry);
        final int incarnation = incarnations[(int) entry];
        final Window window = new Window((int) entry | (incarnation << ENTRY_BITS), node, base, bytes);
        opened.put((int) entry, window);
        node.owner().putLong(at, base);
        node.owner().putInt(at + INCARNATION_OFFSET, incarnation);
        node.owner().putLongRelease(at + LENGTH_OFFSET, bytes);
        return window;
    }

    /** Checks that a window of this node was opened here, and not in a part of its arena that was given away. */
    public void requireOwn(Window window) {
        window.requireOf(node);
        if (!window.isClosed() && !opened.containsKey(entryOf(window.id()))) {
            throw new IllegalArgumentException(window + " belongs to another client of its node");
        }
    }

    /** The open window that has this entry in the node's table and was opened here, or null. Any thread. */
    public @Nullable Window find(int entry) {
        final Window window = opened.get(entry);
        return window == null || window.isClosed() ? null : window;
    }

    /** How much of it is used, in words. */
    @Override
    public String toString() {
        return (length - memory.free()) + " of " + length + " window bytes used";
    }

    private static String inPieces(long more) {
        return more == 0 ? "" : " in one piece, " + more + " in others";
    }

    private static String beingClosed(long amount, String unit) {
        return amount == 0 ? "" : ", " + amount + unit + " being closed: await that";
    }

    private static long lines(long bytes) {
        return BitUtil.align(bytes, NodeLayout.LINE_PAIR);
    }

    private long room(long base, long bytes) {
        return Math.min(lines(bytes), arenaEnd - base);
    }

    private void zero(long base, long bytes) {
        for (long done = 0; done < bytes; done += ZERO_CHUNK_LENGTH) {
            final int chunk = (int) Math.min(ZERO_CHUNK_LENGTH, bytes - done);
            final AtomicBuffer buffer = node.arena().buffer(base + done, chunk);
            buffer.setMemory(0, chunk, (byte) 0);
        }
    }

    /** The application is done with the window: it injects nothing more that names it. */
    public void close(Window window) {
        closing += room(window.base(), window.length());
        closingCount++;
        window.close();
    }

    /** Once all that was injected is carried out: the engine refuses descriptors that name the window. */
    public void disable(Window window) {
        final long at = offset(entryOf(window.id()));
        node.owner().putLongRelease(at + LENGTH_OFFSET, NO_WINDOW);
    }

    /** Once nobody can come to it any more: another window may have the entry, and the {@code bytes} that it had. */
    public void giveBack(Window window, long bytes) {
        final int entry = entryOf(window.id());
        incarnations[entry] = (incarnations[entry] + 1) & INCARNATION_MASK;
        node.owner().putInt(offset(entry) + INCARNATION_OFFSET, incarnations[entry]);
        closing -= room(window.base(), bytes);
        closingCount--;
        entries.give(entry, 1);
        opened.remove(entry);
        memory.give(window.base(), room(window.base(), bytes));
    }

    /** Entry in the window table of the window that descriptors call {@code id}. */
    public static int entryOf(int id) {
        return id & ENTRY_MASK;
    }

    /** Number of the use of that entry. */
    static int incarnationOf(int id) {
        return id >>> ENTRY_BITS;
    }

    private long offset(int entry) {
        return table + (long) entry * NodeLayout.WINDOW_LENGTH;
    }
}
