package org.segno.engine.doorbell;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;

/**
 * Record of the doorbell of a context, as it lies in the file of its node.
 *
 * <p>The waiter changes the state, executes a full fence, and makes its last passes before it blocks. An engine lands,
 * executes a full fence, and then loads the state. Therefore either the engine's load returns the parked state, or the
 * waiter's passes find what landed.
 *
 * <p>The descriptor is open and refers to this pipe as long as the owner's process lives. So a peer that finds the pipe
 * under this number may open it, whatever happens in between.
 *
 * <pre>
 *  offset  length  field    meaning                                                         written by   access
 *       0       8  parks    twice the number of ended parks, and 1 more during a park       waiter       release
 *       8       8  pipe     inode number of the pipe, or 0 if the context has no doorbell   owner        plain
 *      16       4  file     its descriptor in the owner's process                           owner        plain
 *      20     108  reserved
 *     128          DOORBELL_LENGTH
 * </pre>
 */
public final class DoorbellRecord {
    private static final int PIPE_OFFSET = 8;
    private static final int FILE_OFFSET = 16;

    private final Memory memory;
    private final long offset;

    /** Maps the doorbell of a context. */
    public DoorbellRecord(NodeMemory node, int context) {
        this.memory = node.owner();
        this.offset = node.doorbellOffset(context);
    }

    /**
     * Returns true if the waiter of this context parks at a doorbell. It is known before any peer maps the record,
     * except that a doorbell may be withdrawn once.
     */
    public boolean isPresent() {
        return pipe() != 0;
    }

    long pipe() {
        return memory.getLong(offset + PIPE_OFFSET);
    }

    int file() {
        return memory.getInt(offset + FILE_OFFSET);
    }

    /** Publishes the pipe. Called by the owner before any peer maps the record. */
    void pipe(long inode, int file) {
        memory.putLong(offset + PIPE_OFFSET, inode);
        memory.putInt(offset + FILE_OFFSET, file);
    }

    /** Withdraws the doorbell: its waiter never parks. Called by the owner before the first wait. */
    void withdraw() {
        memory.putLong(offset + PIPE_OFFSET, 0);
    }

    /** Returns the count of changes of the waiter's state. */
    public long parksAcquire() {
        return memory.getLongAcquire(offset);
    }

    /** Returns true if the waiter was parked, or about to park, at a {@linkplain #parksAcquire count}. */
    public static boolean isParked(long parks) {
        return (parks & 1) != 0;
    }

    /** Publishes that the waiter is about to park. Everything that it loads from here on is later than this. */
    void park() {
        memory.putLongRelease(offset, memory.getLong(offset) + 1);
        memory.fullFence();
    }

    /** Publishes that the waiter no longer parks. */
    void wake() {
        memory.putLongRelease(offset, memory.getLong(offset) + 1);
    }

    /** Orders everything that the calling thread has stored before its next {@link #parksAcquire}. */
    void fence() {
        memory.fullFence();
    }
}
