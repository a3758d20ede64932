package org.segno.bench.experiment;

import java.util.SplittableRandom;

/**
 * Fixed sequence of message lengths from 8 to {@value #LONGEST} bytes, multiples of 8, the same in every run and for
 * every peer. Each octave is equally frequent, so that short messages are the most. Used by one thread.
 */
public final class MixedLengths {
    /** Longest message. */
    public static final int LONGEST = 2048;

    private static final int COUNT = 1024;
    private static final int MASK = COUNT - 1;
    private static final long SEED = 14;
    private static final int[] LENGTHS = draw();

    private int next;

    /** Creates the sequence at its start. */
    public MixedLengths() {}

    private static int[] draw() {
        final SplittableRandom chance = new SplittableRandom(SEED);
        final double ratio = LONGEST / (double) Long.BYTES;
        return chance.doubles(COUNT)
                .mapToInt(share -> (int) Math.round(Math.pow(ratio, share)) * Long.BYTES)
                .toArray();
    }

    /** Returns the next length. After {@value #COUNT} lengths the sequence starts again. */
    public int next() {
        return LENGTHS[next++ & MASK];
    }

    /** Returns the mean length, rounded. */
    public static int mean() {
        int sum = 0;
        for (final int length : LENGTHS) {
            sum += length;
        }
        return Math.round(sum / (float) COUNT);
    }
}
