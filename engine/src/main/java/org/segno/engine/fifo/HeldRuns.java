package org.segno.engine.fifo;

import java.util.function.LongSupplier;
import org.segno.engine.memory.Memory;

/**
 * Runs that are set aside so that the next runs can proceed: those that have reached a WAIT, and queued ones whose
 * predecessor is not executed. Without this, runs started in opposite orders on two ranks would deadlock. Used only by
 * the engine's thread.
 */
final class HeldRuns {
    /** One run that is set aside: the rest of its section, and its condition. */
    static final class HeldRun {
        long base;
        long head;
        long tail;
        long generation;
        int pattern;

        /** Group of its packets in {@link UnlandedRuns}. */
        int group;

        /** The section of a run that has not begun; otherwise {@code slots} is {@link #BEGUN}. */
        int first;

        int slots;
        int arms;

        private long valueOffset;
        private long limit;
        private long predecessor;

        HeldRun section(long itsBase, long itsHead, long itsTail) {
            base = itsBase;
            head = itsHead;
            tail = itsTail;
            return this;
        }

        HeldRun unbegun(int itsFirst, int itsSlots, int itsArms) {
            first = itsFirst;
            slots = itsSlots;
            arms = itsArms;
            return this;
        }

        boolean isBegun() {
            return slots == BEGUN;
        }

        HeldRun round(int ofPattern, long itsGeneration, int itsGroup) {
            pattern = ofPattern;
            generation = itsGeneration;
            group = itsGroup;
            return this;
        }
    }

    /** Value of {@code slots} of a run that is set aside at a WAIT. */
    private static final int BEGUN = -1;

    private static final int LOOKS_PER_TURN = 1024;

    /** Visits after which a run that is alone does not stay at a WAIT; some microseconds if no visit parks. */
    private static final int PATIENCE = 16;

    private final Memory values;
    private final RunReader reader;
    private final LongSupplier changes;
    private final HeldRun[] runs = new HeldRun[FifoMetadata.MAX_HELD_RUNS];
    private int count;
    private int patience;
    private int looks;
    private int turns;
    private long known;

    /**
     * Creates the set for waits on words of {@code values} and on rounds that {@code reader} knows. The value of
     * {@code changes} changes with everything that may end a wait for ever.
     */
    HeldRuns(Memory values, RunReader reader, LongSupplier changes) {
        this.values = values;
        this.reader = reader;
        this.changes = changes;
        for (int i = 0; i < runs.length; i++) {
            runs[i] = new HeldRun();
        }
    }

    int count() {
        return count;
    }

    /** Records that a run begins. */
    void begun() {
        patience = PATIENCE;
    }

    /**
     * Returns the number of looks that the current run may take at its WAITs: half of {@code most} in the further
     * visits for which it stays at one, and none while others are set aside, because many rounds in progress do not
     * wait for each other.
     */
    int looks(int most) {
        if (count != 0) {
            return 0;
        }
        return patience == PATIENCE || patience == 0 ? most : most / 2;
    }

    /**
     * Returns true if the current run is not set aside: if there is no room or, for a while, if no other run is set
     * aside or follows it. It costs several times as much to set a run aside and to resume it as to look again.
     */
    boolean refuses(boolean isLast) {
        patience = isLast && count == 0 ? Math.max(0, patience - 1) : 0;
        return patience != 0 || isFull();
    }

    boolean isFull() {
        return count == runs.length;
    }

    /**
     * Adds a run that waits until a word is at or below {@code limit}, and returns its entry. The caller has checked
     * for room.
     */
    HeldRun add(long valueOffset, long limit) {
        final HeldRun run = runs[count++];
        run.valueOffset = valueOffset;
        run.limit = limit;
        run.slots = BEGUN;
        return run;
    }

    /**
     * Adds a run that begins when round {@code predecessor} of its pattern is executed, and returns its entry. The
     * caller has checked for room.
     */
    HeldRun addQueued(long predecessor) {
        final HeldRun run = runs[count++];
        run.predecessor = predecessor;
        return run;
    }

    /**
     * Returns the index of the oldest run that no longer waits or was given up, or a value below zero. Once in
     * {@code LOOKS_PER_TURN} calls, and for each run after a change of the peers, it returns the oldest run at a WAIT,
     * so that the engine checks whether its wait can still be satisfied. An idle engine makes few calls.
     */
    int ready() {
        final long now = changes.getAsLong();
        if (now != known) {
            known = now;
            turns = count;
        }
        final boolean isTurn = turns > 0 || (++looks & (LOOKS_PER_TURN - 1)) == 0;
        turns = Math.max(0, turns - 1);
        for (int i = 0; i < count; i++) {
            final HeldRun run = runs[i];
            final boolean isReady = run.isBegun()
                    ? isTurn
                            || values.getLongAcquire(run.valueOffset) <= run.limit
                            || reader.givenUpFor(run.pattern) != RunReader.NO_RANK
                    : reader.isExecuted(run.pattern, run.predecessor);
            if (isReady) {
                return i;
            }
        }
        return -1;
    }

    /** Records that a run has no group any more. Returns false if none of those that are set aside has this one. */
    boolean forget(int group) {
        for (int i = 0; i < count; i++) {
            if (runs[i].group == group) {
                runs[i].group = UnlandedRuns.NONE;
                return true;
            }
        }
        return false;
    }

    /** Removes a run and returns it. Its contents remain valid until the next {@link #add}. */
    HeldRun take(int index) {
        final HeldRun taken = runs[index];
        count--;
        for (int i = index; i < count; i++) {
            runs[i] = runs[i + 1];
        }
        runs[count] = taken;
        return taken;
    }
}
