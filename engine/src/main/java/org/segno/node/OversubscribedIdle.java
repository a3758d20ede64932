package org.segno.node;

import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * How a node waits where threads outnumber cores: spin, yield, park up to half a millisecond; after a tenth of a second without work
 * park for longer and longer, so that a job that only waits leaves the cores to others. What comes then is late by some 4 % of the
 * wait, and by 60 ms at most. One thread.
 */
final class OversubscribedIdle implements IdleStrategy {
    private static final int SPINS = 20;
    private static final int YIELDS = 2000;
    private static final long MIN_PARK_NS = 1_000;
    private static final long MAX_PARK_NS = 500_000;

    /** Idle calls before the long parks: spins, yields, and parks of a tenth of a second together. */
    static final int PATIENCE = SPINS + YIELDS + 200;

    private static final long FIRST_LONG_PARK_NS = 4_000_000;
    private static final long LAST_LONG_PARK_NS = 60_000_000;

    /** By one part in so many a park is longer than the one before: all of them together are as much longer than each. */
    private static final int GROWTH = 25;

    private final IdleStrategy backoff;
    private int idles;
    private long longParkNs = FIRST_LONG_PARK_NS;

    OversubscribedIdle() {
        this(new BackoffIdleStrategy(SPINS, YIELDS, MIN_PARK_NS, MAX_PARK_NS));
    }

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
    public void idle() {
        if (idles < PATIENCE) {
            idles++;
            backoff.idle();
        } else {
            LockSupport.parkNanos(longParkNs);
            longParkNs = Math.min(LAST_LONG_PARK_NS, longParkNs + longParkNs / GROWTH);
        }
    }

    @Override
    public void reset() {
        idles = 0;
        longParkNs = FIRST_LONG_PARK_NS;
        backoff.reset();
    }
}
