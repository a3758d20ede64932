package org.segno.status;

import java.util.concurrent.TimeUnit;

/**
 * Limit of the time of each of several waits, such as the steps of a loop: every call of {@link #deadlineNs} returns a
 * deadline that begins now. A single deadline bounds the whole loop instead. Any thread may use it; a call allocates
 * nothing and reads the clock once.
 */
public final class Timeout {
    private final long ns;

    private Timeout(long ns) {
        this.ns = ns;
    }

    /**
     * Returns a limit.
     *
     * @param amount amount of time, zero or more; very long ones mean about 146 years
     * @param unit unit of the amount
     * @throws IllegalArgumentException if the amount is negative
     */
    public static Timeout of(long amount, TimeUnit unit) {
        if (amount < 0) {
            throw new IllegalArgumentException("time of a wait must not be negative: amount=" + amount + " " + unit);
        }
        return new Timeout(unit.toNanos(amount));
    }

    /** Returns the deadline of the next wait: an absolute value of {@link System#nanoTime()}. */
    public long deadlineNs() {
        return Deadline.in(ns, TimeUnit.NANOSECONDS);
    }

    @Override
    public String toString() {
        return ns + " ns for each wait";
    }
}
