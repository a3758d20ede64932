package org.segno.engine.fifo;

import org.segno.engine.memory.Memory;

/**
 * Runs that have reached a WAIT and are set aside so that the next runs can proceed. Without this, runs queued in
 * opposite orders on two ranks would deadlock. Used only by the engine's thread.
 */
final class HeldRuns {
    /** One run that is set aside: the rest of its section, and the word that it waits for. */
    static final class HeldRun {
        long base;
        long head;
        long tail;
        long generation;
        int pattern;
        private long valueOffset;
        private long limit;

        HeldRun section(long itsBase, long itsHead, long itsTail) {
            base = itsBase;
            head = itsHead;
            tail = itsTail;
            return this;
        }

        HeldRun round(int ofPattern, long itsGeneration) {
            pattern = ofPattern;
            generation = itsGeneration;
            return this;
        }
    }

    private static final int LOOKS_PER_TURN = 1024;

    private final Memory values;
    private final HeldRun[] runs = new HeldRun[FifoMetadata.MAX_HELD_RUNS];
    private int count;
    private int looks;

    /** Creates the set for waits on words of {@code values}. */
    HeldRuns(Memory values) {
        this.values = values;
        for (int i = 0; i < runs.length; i++) {
            runs[i] = new HeldRun();
        }
    }

    int count() {
        return count;
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
        return run;
    }

    /**
     * Returns the index of the oldest run that no longer waits, or a value below zero. Once in {@code LOOKS_PER_TURN}
     * calls it returns the oldest run of all, so that the engine checks whether its wait can still be satisfied.
     */
    int ready() {
        if (count != 0 && (++looks & (LOOKS_PER_TURN - 1)) == 0) {
            return 0;
        }
        for (int i = 0; i < count; i++) {
            final HeldRun run = runs[i];
            if (values.getLongAcquire(run.valueOffset) <= run.limit) {
                return i;
            }
        }
        return -1;
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
