package org.segno.engine.work;

import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.NoOpIdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.segno.status.Deadline;

/**
 * Rule by which an idle loop lets its engine rest. A resting engine counts as quiet, so that peers that close windows
 * and counters do not wait for a parked thread. A rest costs two fences, about 40 ns, so a loop that spins or has just
 * been busy does not rest. Used by one thread.
 */
public final class RestRule {
    /**
     * Number of successive idle passes after which a loop rests in any case. It exceeds the spins and yields of the
     * usual strategies.
     */
    private static final int PATIENT_PASSES = 2048;

    /** Number of the idle pass at which the clock is read first. It is read again at each doubling. */
    private static final int FIRST_LOOK = 8;

    /**
     * Duration of an idle pass above which the strategy parks, or the scheduler runs other threads. A yield takes less
     * than 1 us.
     */
    private static final long PARK_NS = 50_000;

    private final boolean parks;
    private final int patience;
    private int idlePasses;
    private long firstLookNs;
    private boolean slow;

    /** Creates the rule of a loop that idles by {@code idle}. */
    public RestRule(IdleStrategy idle) {
        this.parks = !(idle instanceof BusySpinIdleStrategy
                || idle instanceof NoOpIdleStrategy
                || idle instanceof YieldingIdleStrategy);
        final boolean parksAtOnce = idle instanceof SleepingIdleStrategy || idle instanceof SleepingMillisIdleStrategy;
        this.patience = parksAtOnce ? 0 : PATIENT_PASSES;
    }

    /**
     * Returns true if the engine rests before the strategy is called. The loop calls it after every pass, with the work
     * of that pass.
     */
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
            firstLookNs = Deadline.nowNs();
        } else if (idlePasses > FIRST_LOOK) {
            slow |= Deadline.nowNs() - firstLookNs > (idlePasses - FIRST_LOOK) * PARK_NS;
        }
    }
}
