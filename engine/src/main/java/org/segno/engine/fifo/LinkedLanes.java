package org.segno.engine.fifo;

import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;

/**
 * Lanes of a node from origins that links reach. They lie in process memory, and there are only those in use. Engines
 * add and retire them; the thread that holds a context follows in its next poll. Neither waits for the other.
 *
 * <p>A lane is added empty. It is retired when it is empty again and nothing will be written to it. Its memory has
 * another use only after the context's thread has left it.
 */
public final class LinkedLanes {
    /** Lanes of a node that has mapped all its peers. */
    public static final LinkedLanes NONE = new LinkedLanes(0, 0, MappedMemory::ofProcess);

    private final ConcurrentLinkedQueue<Entry>[] changes;
    private final int contexts;
    private final long engineBytes;
    private final IntFunction<? extends Memory> allocator;

    /**
     * Creates the lanes of a node.
     *
     * @param contexts contexts of the node
     * @param engineBytes bytes that the lanes of requests which one engine writes may take, and those of replies a
     *     quarter more; one lane of each is always possible
     * @param allocator returns zeroed process memory of a length
     */
    @SuppressWarnings({"unchecked", "rawtypes"}) // an array of queues
    public LinkedLanes(int contexts, long engineBytes, IntFunction<? extends Memory> allocator) {
        this.contexts = contexts;
        this.engineBytes = engineBytes;
        this.allocator = allocator;
        this.changes = new ConcurrentLinkedQueue[2 * contexts];
        for (int i = 0; i < changes.length; i++) {
            changes[i] = new ConcurrentLinkedQueue<>();
        }
    }

    /** A lane that was added. */
    public static final class Entry {
        private final Lane lane;
        private final int origin;
        private volatile boolean isRetired;
        private volatile boolean isLeft;

        Entry(Lane lane, int origin) {
            this.lane = lane;
            this.origin = origin;
        }

        /** Returns the lane. */
        public Lane lane() {
            return lane;
        }

        /** Returns the rank that writes the lane. */
        int origin() {
            return origin;
        }

        boolean isRetired() {
            return isRetired;
        }

        /** Records that the context's thread does not read the lane any more. */
        void leave() {
            isLeft = true;
        }

        /** Returns true once nobody uses a retired lane. Called by the engine. */
        public boolean isLeft() {
            return isLeft;
        }
    }

    /** Returns the bytes that the lanes which one engine writes may take. */
    public long engineBytes() {
        return engineBytes;
    }

    /** Returns zeroed memory for lanes. Called by an engine. */
    public Memory allocate(int bytes) {
        return allocator.apply(bytes);
    }

    /** Adds a lane into a context that rank {@code origin} writes. Called by the engine that writes it. */
    public Entry add(int context, boolean areReplies, Lane lane, int origin) {
        final Entry entry = new Entry(lane, origin);
        queue(context, areReplies).add(entry);
        return entry;
    }

    /** Retires an empty lane. Called by the engine that wrote it. */
    public void retire(int context, boolean areReplies, Entry entry) {
        entry.isRetired = true;
        queue(context, areReplies).add(entry);
    }

    /** Returns true if an entry has been added or retired. Called by the thread that holds the context. */
    boolean hasChanged(int context, boolean areReplies) {
        return !queue(context, areReplies).isEmpty();
    }

    /** Returns the next entry that was added or retired, or null. Called by the thread that holds the context. */
    @Nullable
    Entry next(int context, boolean areReplies) {
        return queue(context, areReplies).poll();
    }

    private ConcurrentLinkedQueue<Entry> queue(int context, boolean areReplies) {
        return changes[areReplies ? contexts + context : context];
    }
}
