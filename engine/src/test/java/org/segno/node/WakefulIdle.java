package org.segno.node;

import java.util.concurrent.TimeUnit;
import org.segno.engine.work.ParkingIdle;

/**
 * Idle strategy that parks at the doorbell after a few pauses, for {@link #PARK_NS} each time. Such a park never ends
 * by itself in a test that passes: a missing ring is seen as a delay of that length. Engine threads only yield.
 */
final class WakefulIdle implements ParkingIdle {
    /** Duration of a park. */
    static final long PARK_NS = TimeUnit.SECONDS.toNanos(8);

    /** Delay above which a ring was lost. */
    static final long LOST_NS = PARK_NS / 2;

    /** Number of pauses of which one yields. */
    private static final int SPINS = 16;

    private final int[] patiences;
    private int wait;
    private int idles;

    /**
     * Creates the strategy.
     *
     * @param patiences numbers of pauses before a park, in turn for successive waits
     */
    WakefulIdle(int... patiences) {
        this.patiences = patiences;
    }

    /** Creates a strategy that parks after a few pauses. */
    static WakefulIdle make() {
        return new WakefulIdle(3);
    }

    /** Creates a strategy that parks after many different numbers of pauses, between 0.1 us and some microseconds. */
    static WakefulIdle varied() {
        return new WakefulIdle(1, 30, 3, 90, 7, 60, 15);
    }

    @Override
    public boolean isParkDue() {
        return idles >= patiences[wait];
    }

    @Override
    public long nextParkNs() {
        return PARK_NS;
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
    @SuppressWarnings("ThreadPriorityCheck") // as idle strategies do
    public void idle() {
        idles++;
        if (idles % SPINS == 0) {
            Thread.yield();
        } else {
            Thread.onSpinWait();
        }
    }

    @Override
    public void reset() {
        idles = 0;
        wait = (wait + 1) % patiences.length;
    }
}
