package org.segno.bench.experiment;

/**
 * How every side of this module waits: it pauses between two looks, because a core that loads without a pause takes the line
 * away from the one that is about to store to it, and it yields when the wait gets long, because then something else runs on
 * the other side's core.
 */
public final class Spin {
    /** About half a millisecond of pauses, many times what any message takes. */
    private static final int PAUSES = 1 << 14;

    private Spin() {}

    /**
     * Lets a moment pass.
     *
     * @param spins what the last call of this wait returned, zero at first
     */
    @SuppressWarnings("ThreadPriorityCheck") // It is the scheduler that is asked.
    public static int pause(int spins) {
        if (spins < PAUSES) {
            Thread.onSpinWait();
            return spins + 1;
        }
        Thread.yield();
        return 0;
    }
}
