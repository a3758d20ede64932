package org.segno.demo.solver;

/**
 * Time span that all ranks share: it ends for all of them as soon as it ends for one.
 *
 * <p>It limits measurements, because a number of repetitions that suits an idle machine would take minutes on a busy
 * one.
 */
public final class SharedTime {
    private final Sums sums;
    private final long startNs;
    private final long lengthNs;
    private final double[] over = new double[Sums.VALUE_COUNT];

    private SharedTime(Sums sums, long startNs, long lengthNs) {
        this.sums = sums;
        this.startNs = startNs;
        this.lengthNs = lengthNs;
    }

    /** Begins a time span now. */
    public static SharedTime begin(Sums sums, long lengthNs) {
        return new SharedTime(sums, System.nanoTime(), lengthNs);
    }

    /** Returns true until the time span ends, on all ranks alike. Every rank calls this. */
    public boolean lasts() {
        over[0] = System.nanoTime() - startNs < lengthNs ? 0 : 1;
        sums.sum(over);
        return over[0] == 0;
    }
}
