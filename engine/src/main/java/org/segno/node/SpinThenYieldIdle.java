package org.segno.node;

import org.agrona.concurrent.IdleStrategy;

/**
 * Idle strategy for a host with a core for each thread. It spins for a bounded time, because most messages arrive
 * within it, then yields after each pass. A yield costs less than a microsecond where nobody else wants the core. Where
 * another process wants it, the yield lets that process run, and the scheduler does not count the wait against this
 * thread. Used by one thread.
 */
final class SpinThenYieldIdle implements IdleStrategy {
    /**
     * Duration of the spinning after the first reading of the clock. It covers a round trip of short messages. Longer
     * waits are later by half a yield, a few percent of the wait. Beside a busy process, each step lasts at least as
     * long as the spinning: with 10 us, two ranks made a tenth of the steps that they made with yields alone.
     */
    static final long SPIN_NS = 3_000;

    /**
     * Spins between two readings of the clock, about a microsecond. A wait that ends within the first ones does not
     * read it at all.
     */
    static final int SPINS_PER_CLOCK = 32;

    private int spins = SPINS_PER_CLOCK;
    private boolean timed;
    private boolean yielding;
    private long beginNs;

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
        if (spins > 0) {
            spins--;
            Thread.onSpinWait();
        } else if (yielding) {
            Thread.yield();
        } else {
            look();
        }
    }

    /** Reads the clock, and ends the spinning once it has lasted long enough. */
    private void look() {
        final long nowNs = System.nanoTime();
        if (!timed) {
            timed = true;
            beginNs = nowNs;
            spins = SPINS_PER_CLOCK;
        } else if (nowNs - beginNs < SPIN_NS) {
            spins = SPINS_PER_CLOCK;
        } else {
            yielding = true;
        }
    }

    @Override
    public void reset() {
        spins = SPINS_PER_CLOCK;
        timed = false;
        yielding = false;
    }

    /** Returns true once it yields. */
    boolean isYielding() {
        return yielding;
    }
}
