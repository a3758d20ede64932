package org.segno.memory;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Mappings of closed node files, which return their memory to the file system when the garbage collector has found that nothing can
 * use them any more: an application may hold a window's buffer for as long as it likes. Any thread.
 */
final class ReleasedMappings {
    private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final AtomicLong CLOSED = new AtomicLong();

    private ReleasedMappings() {}

    /** A node file was closed: its mappings may be garbage now. */
    static void add() {
        CLOSED.incrementAndGet();
    }

    /**
     * Collects garbage, and gives the collector's cleaner time to unmap it: the more, the more often it was called in a row.
     *
     * @param repetition from 0
     * @return false if this process has closed no node file, so that there is nothing to collect
     */
    static boolean collect(int repetition) {
        if (CLOSED.get() == 0) {
            return false;
        }
        System.gc();
        // A pause may end early; a spin would take the core that the cleaner needs.
        LockSupport.parkNanos(FIRST_PAUSE_NS << repetition);
        return true;
    }
}
