package org.segno.reuse;

import java.lang.invoke.VarHandle;
import org.segno.memory.Memory;
import org.segno.memory.NodeMemory;

/**
 * The quiet points of an engine: moments between two passes, when everything that it has checked is also written. One thread, the
 * engine's.
 *
 * <p>A full fence comes before each count. A closer that has disabled something, made a full fence and then read the count, and
 * later reads one two higher, has a quiet point in between: what began before it is in memory, and what began after it has
 * seen the disabling. One step would not do: the fence of the count that is read next may precede the closer's own.
 *
 * <p>A resting engine is quiet without any step. It leaves its rest by a store and a full fence before it reads anything. So either a
 * closer reads the end of the rest, or the engine's pass reads what the closer had disabled before its fence.
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
    /** Count of an engine that does not exist, or has not been made yet: nothing has begun. */
    public static final long NO_ENGINE = 0;

    /** Flag of the count of an engine that is outside a pass and will leave its rest before the next one. */
    public static final long RESTING = 1L << 62;

    /** Count of an engine that has stopped for good: it rests for ever. */
    public static final long ENDED = Long.MAX_VALUE;

    /** Passes from one quiet point to the next while there is work, or has been none for long; a power of two. */
    private static final int PASSES = 64;

    private final Memory memory;
    private final long offset;
    private long count = 1;
    private int passes;
    private boolean busy;
    private boolean resting = true;

    /** Makes the count of engine {@code engine} of a node. An engine rests until its first pass. */
    public QuietCount(NodeMemory node, int engine) {
        this.memory = node.owner();
        this.offset = node.quietCountOffset(engine);
        memory.putLongRelease(offset, count | RESTING);
    }

    /** Engine, before it reads anything in a pass: ends a rest. */
    public void begin() {
        if (resting) {
            resting = false;
            memory.putLongRelease(offset, ++count);
            // The store before every load of the pass: see above.
            VarHandle.fullFence();
        }
    }

    /** Engine, between two passes: is quiet until the next {@link #begin}. */
    public void rest() {
        if (!resting) {
            resting = true;
            VarHandle.fullFence();
            memory.putLongRelease(offset, ++count | RESTING);
        }
    }

    /** Returns true if an engine with this count is quiet as long as the count stays. */
    static boolean isResting(long count) {
        return (count & RESTING) != 0;
    }

    /** Engine, at the end of each pass. A pass without work after one with some may be the last for long: it counts too. */
    public void passed(boolean worked) {
        if ((++passes & (PASSES - 1)) == 0 || (busy && !worked)) {
            quiet();
        }
        busy = worked;
    }

    private void quiet() {
        VarHandle.fullFence();
        memory.putLongRelease(offset, ++count);
    }

    /** After the engine's last pass: the engine rests for ever. */
    public void end() {
        memory.putLongRelease(offset, ENDED);
    }
}
