package org.segno.reuse;

import java.lang.invoke.VarHandle;
import org.segno.memory.Memory;
import org.segno.memory.NodeMemory;

/**
 * How often an engine has been quiet: between two passes, when whatever it has checked it has also written. One thread, the
 * engine's.
 *
 * <p>A full fence comes before each count. Whoever has disabled something, made a full fence himself and then read the count, and
 * sees it two higher later, knows that a quiet point lies between: what began before it is in memory, and what began after it has
 * seen that the thing is disabled. One step would not do: the fence of the count that is seen next may lie before his own.
 *
 * <pre>
 *  offset  length  field   meaning                                                        written by   access
 *       0       8  count   {@link #NO_ENGINE}, quiet points from 1 on, or {@link #ENDED}  engine       release
 *       8     120  reserved
 *     128          QUIET_COUNT_LENGTH
 * </pre>
 */
public final class QuietCount {
    /** There is no engine of this number, or it has not been made yet: nothing has begun. */
    public static final long NO_ENGINE = 0;

    /** The engine has stopped for good. */
    public static final long ENDED = Long.MAX_VALUE;

    /** Passes from one quiet point to the next while there is work, or has been none for long; a power of two. */
    private static final int PASSES = 64;

    private final Memory memory;
    private final long offset;
    private long count = 1;
    private int passes;
    private boolean busy;

    /** The count of engine {@code engine} of a node. */
    public QuietCount(NodeMemory node, int engine) {
        this.memory = node.owner();
        this.offset = node.quietCountOffset(engine);
        memory.putLongRelease(offset, count);
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

    /** After the engine's last pass, by whoever knows that it was the last. */
    public void end() {
        memory.putLongRelease(offset, ENDED);
    }
}
