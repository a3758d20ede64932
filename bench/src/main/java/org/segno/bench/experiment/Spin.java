package org.segno.bench.experiment;

/**
 * Wait loop of every side of this module.
 *
 * <p>It pauses between two polls, because a core that loads without a pause takes the line away from the core that is
 * about to store to it. It yields when the wait gets long, because then another program runs on the other side's core.
 */
public final class Spin {
    /** Pauses before a yield: about half a millisecond, many times longer than any message takes. */
    private static final int PAUSES = 1 << 14;

    private Spin() {}

    /**
     * Pauses or yields once.
     *
     * @param spins return value of the last call of this wait, zero at first
     */
    @SuppressWarnings("ThreadPriorityCheck") // Yielding to the scheduler is intended.
    public static int pause(int spins) {
        if (spins < PAUSES) {
            Thread.onSpinWait();
            return spins + 1;
        }
        Thread.yield();
        return 0;
    }
}
