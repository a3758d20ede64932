package org.segno.node;

import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.segno.engine.work.ParkingIdle;

/**
 * Idle strategy for a host with more threads than cores. It yields at once, because what it waits for comes from a
 * thread that may need this core, and later parks for up to half a millisecond. After a tenth of a second without work
 * its parks grow longer, so that a job that only waits leaves the cores to others. Work that arrives then is late by
 * some 4 % of the wait, and by 60 ms at most, unless the thread parks at a doorbell, which wakes it. Used by one
 * thread.
 */
final class OversubscribedIdle implements ParkingIdle {
    /** Number of idle calls before the first park. */
    static final int YIELDS = 2000;

    private static final long MIN_PARK_NS = 1_000;
    private static final long MAX_PARK_NS = 500_000;

    /** Number of idle calls before the long parks: yields, and parks of a tenth of a second together. */
    static final int PATIENCE = YIELDS + 200;

    /** Longest duration of a park at a doorbell before the long parks: those have a resolution of a millisecond. */
    private static final long SHORT_PARK_NS = 1_000_000;

    private static final long FIRST_LONG_PARK_NS = 4_000_000;
    private static final long LAST_LONG_PARK_NS = 60_000_000;

    /**
     * Divisor of the growth of long parks: each is longer than the one before by one part in this number. All parks so
     * far together are then about this number of times as long as the last one.
     */
    private static final int GROWTH = 25;

    private final IdleStrategy backoff;
    private int idles;
    private long longParkNs = FIRST_LONG_PARK_NS;

    OversubscribedIdle() {
        this(new BackoffIdleStrategy(0, 0, MIN_PARK_NS, MAX_PARK_NS));
    }

    /** Creates a strategy that parks, before its long parks, as another one does. */
    OversubscribedIdle(IdleStrategy backoff) {
        this.backoff = backoff;
    }

    @Override
    public void idle(int workCount) {
        if (workCount > 0) {
            reset();
        } else {
            idle();
        }
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // an idle strategy has no other way to give other threads its core
    public void idle() {
        if (idles < YIELDS) {
            idles++;
            Thread.yield();
        } else if (idles < PATIENCE) {
            idles++;
            backoff.idle();
        } else {
            LockSupport.parkNanos(nextLongParkNs());
        }
    }

    @Override
    public boolean isParkDue() {
        return idles >= YIELDS;
    }

    @Override
    public long nextParkNs() {
        if (idles < PATIENCE) {
            idles++;
            return SHORT_PARK_NS;
        }
        // A park at a doorbell costs a selection and some passes more than another one. So it lasts longer: what does
        // not ring then is late by some 6 % of the wait, and by 90 ms at most.
        return nextLongParkNs() * 3 / 2;
    }

    private long nextLongParkNs() {
        final long parkNs = longParkNs;
        longParkNs = Math.min(LAST_LONG_PARK_NS, parkNs + parkNs / GROWTH);
        return parkNs;
    }

    @Override
    public void reset() {
        idles = 0;
        longParkNs = FIRST_LONG_PARK_NS;
        backoff.reset();
    }
}
