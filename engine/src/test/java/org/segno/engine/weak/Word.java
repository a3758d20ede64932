package org.segno.engine.weak;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Eight aligned bytes and every store to them, in the order on which all threads agree. */
final class Word {
    /** Location of the word: identifies it in every run. */
    final long key;

    /** Number in this run: its bytes have places {@code 8 * id} to {@code 8 * id + 7} in a thread's view. */
    final int id;

    private long initial;
    private long newest;

    int count;
    long[] values = new long[4];
    byte[] masks = new byte[4];

    /** Times of the stores, among all stores of the run. */
    int[] times = new int[4];

    /** Views that a reader acquires with each store, or null. */
    int[] @Nullable [] views = new int[4][];

    Word(long key, int id) {
        this.key = key;
        this.id = id;
    }

    /** Returns the value from before the threads were started. */
    long initial() {
        return initial;
    }

    /** Returns the value after every store, as a thread that sees all stores loads it. */
    long newest() {
        return newest;
    }

    /** Stores a value before the threads are started, or after they have ended. */
    void begin(int mask, long value) {
        newest = (newest & ~bits(mask)) | (value & bits(mask));
        initial = newest;
    }

    /** Appends a store to the bytes of {@code mask}; returns its number, one or more. */
    int append(long value, int mask, int @Nullable [] view, int time) {
        if (count == values.length) {
            values = Arrays.copyOf(values, 2 * count);
            masks = Arrays.copyOf(masks, 2 * count);
            views = Arrays.copyOf(views, 2 * count);
            times = Arrays.copyOf(times, 2 * count);
        }
        newest = (newest & ~bits(mask)) | (value & bits(mask));
        values[count] = value;
        masks[count] = (byte) mask;
        views[count] = view;
        times[count] = time;
        return ++count;
    }

    /** Returns the bytes of {@code mask}, each widened to eight ones. */
    static long bits(int mask) {
        long bits = 0;
        for (int i = 0; i < Long.BYTES; i++) {
            if ((mask & (1 << i)) != 0) {
                bits |= 0xFFL << (8 * i);
            }
        }
        return bits;
    }
}
