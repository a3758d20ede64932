package org.segno.work;

import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;

/**
 * Decides when an idle loop lets its engine rest. A resting engine counts as quiet, so that peers which close windows and counters do
 * not wait for a parked thread. A rest costs two fences, about 40 ns, so a loop that spins or has just been busy does not rest. One
 * thread.
 */
public final class RestRule {
    /** Idle passes in a row after which a loop rests in any case: more than the spins and yields of the usual strategies. */
    private static final int PATIENT_PASSES = 2048;

    /** The idle pass at which the clock is read first, and at each doubling again. */
    private static final int FIRST_LOOK = 8;

    /** Time of an idle pass above which the strategy parks, or the scheduler runs other threads: a yield takes less than 1 us. */
    private static final long PARK_NS = 50_000;

    private final boolean parks;
    private final int patience;
    private int idlePasses;
    private long firstLookNs;
    private boolean slow;

    /** Makes the rule of a loop that idles by {@code idle}. */
    public RestRule(IdleStrategy idle) {
        this.parks = !(idle instanceof BusySpinIdleStrategy
                || idle instanceof NoOpIdleStrategy
                || idle instanceof YieldingIdleStrategy);
        final boolean parksAtOnce = idle instanceof SleepingIdleStrategy || idle instanceof SleepingMillisIdleStrategy;
        this.patience = parksAtOnce ? 0 : PATIENT_PASSES;
    }

    /** Returns true if the engine rests before the strategy is called; to be asked after every pass, with its work. */
    public boolean isRestDue(int work) {
        if (work != 0 || !parks) {
            idlePasses = 0;
            slow = false;
            return false;
        }
        idlePasses++;
        if (idlePasses <= PATIENT_PASSES && (idlePasses & (idlePasses - 1)) == 0) {
            look();
        }
        return slow || idlePasses > patience;
    }

    private void look() {
        if (idlePasses == FIRST_LOOK) {
            firstLookNs = System.nanoTime();
        } else if (idlePasses > FIRST_LOOK) {
            slow |= System.nanoTime() - firstLookNs > (idlePasses - FIRST_LOOK) * PARK_NS;
        }
    }
}
