package org.segno.engine.reuse;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.FreeSpace;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.WindowTable;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Window;

/**
 * Allocator of windows in a node's arena, and writer of the table by which its engine finds them.
 *
 * <p>The application's thread opens and closes windows. The engine reads base and length of the id in a descriptor
 * ({@link WindowTable}); the store that published the descriptor also published the entry. Entries and memory are
 * reused once nothing can access them any more, which the caller ensures. An id consists of an entry and the number of
 * its use. An id that is still used by mistake after its window was closed is therefore not a valid window. Ids repeat
 * after 32,768 uses of an entry.
 */
public final class WindowArena {

    private static final int ZERO_CHUNK_LENGTH = 1 << 30;

    private final NodeMemory node;
    private final long table;
    private final int capacity;
    private final long arenaEnd;
    private final String setting;
    private long length;
    private final FreeSpace memory;
    private final FreeSpace entries;
    private final Map<Integer, Window> opened = new ConcurrentHashMap<>();

    /** Number of the current or next use by entry. The table in the file is only written, never trusted. */
    private final int[] incarnations;

    /** Offset above which no byte has been used, so that the memory is still zero. */
    private long used;

    private long closing;
    private int closingCount;

    public WindowArena(NodeMemory node) {
        this.node = node;
        this.table = node.layout().offset(Part.WINDOW_TABLE);
        this.capacity = node.layout().dimensions().windows();
        this.arenaEnd = node.layout().length(Part.WINDOWS);
        this.length = arenaEnd;
        this.setting = "NodeConfig.withWindowBytes";
        this.memory = new FreeSpace(length);
        this.entries = new FreeSpace(capacity);
        this.incarnations = new int[capacity];
        for (int entry = 0; entry < capacity; entry++) {
            node.owner().putLong(offset(entry) + WindowTable.LENGTH_OFFSET, WindowTable.NO_WINDOW);
        }
    }

    private WindowArena(WindowArena from, long bytes) {
        this.node = from.node;
        this.table = from.table;
        this.capacity = from.capacity;
        this.arenaEnd = from.arenaEnd;
        this.length = bytes;
        this.setting = "ClientConfig.withWindowBytes";
        this.memory = from.memory.part(bytes);
        this.entries = from.entries;
        this.incarnations = from.incarnations;
        // A part of which any byte may have been used before counts as used entirely, so that it is zeroed on reuse.
        this.used = bytes > 0 && memory.first() < from.used ? arenaEnd : 0;
        from.length -= bytes;
    }

    /**
     * Splits off the memory of a client that is opened by name, into an arena of its own. Both share the table of
     * windows. The caller ensures that {@link #free} suffices.
     *
     * @param bytes whole lines of 128
     */
    public WindowArena part(long bytes) {
        return new WindowArena(this, bytes);
    }

    /** Returns the memory of an arena that was split off, of which all windows are released. */
    public void unite(WindowArena part) {
        part.memory.giveTo(memory);
        used = Math.max(used, part.used);
        length += part.length;
        part.length = 0;
    }

    /** Returns the open windows of this arena. */
    public List<Window> open() {
        return opened.values().stream().filter(window -> !window.isClosed()).toList();
    }

    /** Returns the number of bytes that can be split off. */
    public long free() {
        return memory.largest();
    }

    /** Returns the number of windows that can be opened, here and in the arenas of other clients together. */
    public long freeEntries() {
        return entries.free();
    }

    /**
     * Opens a zeroed window of {@code bytes}, aligned to 128 bytes. Called by one thread at a time.
     *
     * @throws IllegalArgumentException if the arena or the table has no room; the message has the remaining room
     */
    public Window open(long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("a window must have at least 1 byte: bytes=" + bytes);
        }
        final long left = memory.largest();
        if (bytes > left) {
            throw new IllegalArgumentException("a window must have at least 1 byte and fit into the arena: bytes="
                    + bytes + ", left=" + left + " of " + length + inPieces(memory.free() - left)
                    + beingClosed(closing, " bytes") + "; raise " + setting);
        }
        final long entry = entries.take(1);
        if (entry < 0) {
            throw new IllegalArgumentException("all " + capacity + " windows are in use" + beingClosed(closingCount, "")
                    + "; close some, open fewer and larger ones, or raise NodeConfig.withWindows");
        }
        // All free extents are whole lines, except one that the arena's end cuts short: that one is taken to its end.
        final long base = memory.take(Math.min(lines(bytes), left));
        zero(base, Math.min(bytes, used - base));
        used = Math.max(used, base + bytes);
        final long at = offset((int) entry);
        final int incarnation = incarnations[(int) entry];
        final Window window = MemoryAccess.newWindow(WindowTable.idOf((int) entry, incarnation), node, base, bytes);
        opened.put((int) entry, window);
        node.owner().putLong(at, base);
        node.owner().putInt(at + WindowTable.INCARNATION_OFFSET, incarnation);
        node.owner().putLongRelease(at + WindowTable.LENGTH_OFFSET, bytes);
        return window;
    }

    /** Checks that a window of this node was opened here, and not in a part that was split off its arena. */
    public void requireOwn(Window window) {
        MemoryAccess.requireOf(window, node);
        if (!window.isClosed() && !opened.containsKey(WindowTable.entryOf(window.id()))) {
            throw new IllegalArgumentException(window + " belongs to another client of its node");
        }
    }

    /**
     * Returns the open window that has this entry in the node's table and was opened here, or null. Usable from any
     * thread.
     */
    public @Nullable Window find(int entry) {
        final Window window = opened.get(entry);
        return window == null || window.isClosed() ? null : window;
    }

    /** Returns the used bytes as text. */
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

    /**
     * Closes a window that the application no longer uses: it injects no further descriptor with the id of this window.
     */
    public void close(Window window) {
        closing += room(window.base(), window.length());
        closingCount++;
        MemoryAccess.close(window);
    }

    /**
     * Disables a window once all injected descriptors are carried out: the engine then refuses descriptors with its id.
     */
    public void disable(Window window) {
        final long at = offset(WindowTable.entryOf(window.id()));
        node.owner().putLongRelease(at + WindowTable.LENGTH_OFFSET, WindowTable.NO_WINDOW);
    }

    /** Returns the window's entry and its {@code bytes} for reuse, once nothing can access them any more. */
    public void release(Window window, long bytes) {
        final int entry = WindowTable.entryOf(window.id());
        incarnations[entry] = WindowTable.next(incarnations[entry]);
        node.owner().putInt(offset(entry) + WindowTable.INCARNATION_OFFSET, incarnations[entry]);
        closing -= room(window.base(), bytes);
        closingCount--;
        entries.give(entry, 1);
        opened.remove(entry);
        memory.give(window.base(), room(window.base(), bytes));
    }

    private long offset(int entry) {
        return table + (long) entry * NodeLayout.WINDOW_LENGTH;
    }
}
