package org.segno.engine.memory;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Mappings of closed node files. They return their memory to the file system when the garbage collector has found them
 * unreachable, because an application may hold a window's buffer for any length of time. Usable from any thread.
 */
final class ReleasedMappings {
    private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final AtomicLong CLOSED = new AtomicLong();

    private ReleasedMappings() {}

    /** Records that a node file was closed, so that its mappings may be garbage. */
    static void add() {
        CLOSED.incrementAndGet();
    }

    /**
     * Collects garbage and gives the collector's cleaner time to unmap it. The time doubles with every repetition.
     *
     * @param repetition from 0
     * @return false if this process has closed no node file, so that there is nothing to collect
     */
    static boolean collect(int repetition) {
        if (CLOSED.get() == 0) {
            return false;
        }
        System.gc();
        // The pause may end early. A spin would take the core that the cleaner needs.
        LockSupport.parkNanos(FIRST_PAUSE_NS << repetition);
        return true;
    }
}
