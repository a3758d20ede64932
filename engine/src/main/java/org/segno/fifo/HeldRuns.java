package org.segno.fifo;

import org.segno.memory.Memory;

/**
 * Runs that stand at a WAIT, set aside so that the next ones go on: opposite orders on two ranks do not lock each other up. One
 * thread, the engine's.
 */
final class HeldRuns {
    /** One run that was set aside: the rest of its section, and the word that it waits for. */
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

    /** Waits look at words of {@code values}. */
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

    /** The entry for one more, which waits until a word is at or below {@code limit}; there is room. */
    HeldRun add(long valueOffset, long limit) {
        final HeldRun run = runs[count++];
        run.valueOffset = valueOffset;
        run.limit = limit;
        return run;
    }

    /**
     * The oldest run whose wait is over, or one below zero; now and then the oldest of all, so that somebody looks whether what it
     * waits for can still come.
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

    /** Takes a run out; what it holds stays as it is until the next {@link #add}. */
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
