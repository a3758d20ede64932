package org.segno.engine.reuse;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;

/**
 * Count of an engine's quiet points. These are moments between two passes, when everything that the engine has checked
 * is also written. Used only by the engine's thread.
 *
 * <p>A full fence precedes each count. A closer disables an object, executes a full fence and reads the count. If it
 * later reads a count that is two higher, there is a quiet point in between. Everything that began before this point is
 * in memory, and everything that began after it has seen the disabling. One step would not suffice: the fence of the
 * next count may precede the closer's own.
 *
 * <p>A resting engine is quiet without any step. It leaves its rest by a store and a full fence before it reads
 * anything. Therefore either a closer reads the end of the rest, or the engine's pass reads the state that the closer
 * had disabled before its fence.
 *
 * <pre>
 *  offset  length  field   meaning                                                         written by   access
 *       0       8  count   {@link #NO_ENGINE}, quiet points from 1 on with or without       engine       release
 *                          {@link #RESTING}, or {@link #ENDED}
 *       8     120  reserved
 *     128          QUIET_COUNT_LENGTH
 * </pre>
 */
public final class QuietCount {
    /** Count of an engine that does not exist, or has not been created yet: it has begun nothing. */
    public static final long NO_ENGINE = 0;

    /** Flag of the count of an engine that is outside a pass and will leave its rest before the next one. */
    public static final long RESTING = 1L << 62;

    /** Count of an engine that has stopped permanently: it rests for ever. */
    public static final long ENDED = Long.MAX_VALUE;

    /**
     * Number of passes between two quiet points while there is work, or while there has been none for long; a power of
     * two.
     */
    private static final int PASSES = 64;

    private final Memory memory;
    private final long offset;
    private long count = 1;
    private int passes;
    private boolean busy;
    private boolean resting = true;

    /** Creates the count of engine {@code engine} of a node. An engine rests until its first pass. */
    public QuietCount(NodeMemory node, int engine) {
        this.memory = node.owner();
        this.offset = node.quietCountOffset(engine);
        memory.putLongRelease(offset, count | RESTING);
    }

    /** Ends a rest. Called by the engine before it reads anything in a pass. */
    public void begin() {
        if (resting) {
            resting = false;
            memory.putLongRelease(offset, ++count);
            // The store must precede every load of the pass: see the class comment.
            memory.fullFence();
        }
    }

    /** Begins a rest, which lasts until the next {@link #begin}. Called by the engine between two passes. */
    public void rest() {
        if (!resting) {
            resting = true;
            memory.fullFence();
            memory.putLongRelease(offset, ++count | RESTING);
        }
    }

    /** Returns true from the beginning of a rest to its end, and after the last pass. For the engine's thread. */
    public boolean isResting() {
        return resting;
    }

    /** Returns true if an engine with this count is quiet as long as the count stays. */
    static boolean isResting(long count) {
        return (count & RESTING) != 0;
    }

    /**
     * Ends a pass. Called by the engine. A pass without work after one with work may be the last for long, and counts
     * as a quiet point too.
     */
    public void passed(boolean worked) {
        if ((++passes & (PASSES - 1)) == 0 || (busy && !worked)) {
            quiet();
        }
        busy = worked;
    }

    private void quiet() {
        memory.fullFence();
        memory.putLongRelease(offset, ++count);
    }

    /** Ends the count after the engine's last pass: the engine rests for ever. */
    public void end() {
        resting = true;
        memory.putLongRelease(offset, ENDED);
    }
}
