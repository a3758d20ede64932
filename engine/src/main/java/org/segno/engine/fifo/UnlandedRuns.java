package org.segno.engine.fifo;

/**
 * Runs whose packets over links have not all landed. A run gets an entry, its group, with its first packet, and keeps
 * it until it has been carried out and all has landed. Used only by the engine's thread.
 *
 * <p>A run that is set aside gives its group up once all that it has sent has landed. Otherwise as many of these as
 * there are groups would stop the next run, which must proceed.
 */
final class UnlandedRuns {
    /** Group of a run that has sent no packet. */
    static final int NONE = -1;

    private static final int CAPACITY = FifoMetadata.MAX_HELD_RUNS;

    private final int[] patterns = new int[CAPACITY];
    private final long[] generations = new long[CAPACITY];
    private final int[] packets = new int[CAPACITY];
    private final RunReader reader;

    /** Groups in use, as bits, and those whose runs have been carried out. */
    private long used;

    private long finished;

    UnlandedRuns(RunReader reader) {
        this.reader = reader;
    }

    boolean isFull() {
        return used == -1L;
    }

    /** Returns the number of runs that have been carried out and have not landed. */
    int count() {
        return Long.bitCount(finished);
    }

    /** Returns a group for a round. The caller has checked for room. */
    int add(int pattern, long generation) {
        final int group = Long.numberOfTrailingZeros(~used);
        used |= 1L << group;
        patterns[group] = pattern;
        generations[group] = generation;
        packets[group] = 0;
        return group;
    }

    void sent(int group) {
        packets[group]++;
    }

    /**
     * Records that the run of a group, which may be {@link #NONE}, has been carried out. Returns true if everything in
     * it has landed, and it no longer has a group.
     */
    boolean finish(int group) {
        if (group == NONE) {
            return true;
        }
        if (packets[group] != 0) {
            finished |= 1L << group;
            return false;
        }
        used &= ~(1L << group);
        return true;
    }

    /**
     * Records that {@code count} packets of a group have landed or were refused. Returns true if the run has thereby
     * been executed.
     *
     * @param held runs that are set aside
     */
    boolean landed(int group, int count, HeldRuns held) {
        packets[group] -= count;
        final long bit = 1L << group;
        if (packets[group] != 0) {
            return false;
        }
        if ((finished & bit) == 0) {
            used &= held.forget(group) ? ~bit : -1;
            return false;
        }
        used &= ~bit;
        finished &= ~bit;
        reader.executedRelease(patterns[group], generations[group]);
        return true;
    }

    /** Records that the run of a group, which may be {@link #NONE}, is set aside. Returns its group from then on. */
    int setAside(int group) {
        if (group == NONE || packets[group] != 0) {
            return group;
        }
        used &= ~(1L << group);
        return NONE;
    }

    /** Records that a packet of a group was refused. */
    void refuse(int group, long error) {
        reader.refuse(patterns[group], error);
    }
}
