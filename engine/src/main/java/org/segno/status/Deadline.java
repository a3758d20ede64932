package org.segno.status;

import java.util.concurrent.TimeUnit;

/**
 * Points in time at which a wait gives up: absolute values of {@link System#nanoTime()}, called {@code deadlineNs}.
 *
 * <p>Absolute, so that one deadline bounds several waits in a row. The clock's zero is arbitrary and it may wrap, hence
 * deadlines are compared by difference, never by order: what {@link #in} answers is one, and so is {@link System#nanoTime()} plus or
 * minus up to 146 years. {@code Long.MIN_VALUE} and {@code Long.MAX_VALUE} are neither "at once" nor "never" but some point in time. Any thread may call these.
 */
public final class Deadline {
    /** The furthest away that differences still have the right sign: about 146 years. */
    private static final long LONGEST_NS = Long.MAX_VALUE / 2;

    private Deadline() {}

    /**
     * Makes the deadline that lies the given time from now.
     *
     * @param amount of time, zero or more; very long ones mean about 146 years
     * @param unit of the amount
     * @return the absolute {@code deadlineNs}
     * @throws IllegalArgumentException if the amount is negative
     */
    public static long in(long amount, TimeUnit unit) {
        if (amount < 0) {
            throw new IllegalArgumentException(
                    "time to a deadline must not be negative: amount=" + amount + " " + unit);
        }
        return System.nanoTime() + Math.min(unit.toNanos(amount), LONGEST_NS);
    }

    /**
     * Says whether a deadline has been reached.
     *
     * @param deadlineNs the deadline
     * @return true at the deadline and after it
     */
    public static boolean reached(long deadlineNs) {
        return remaining(deadlineNs) <= 0;
    }

    /**
     * Says how long it is to a deadline.
     *
     * @param deadlineNs the deadline
     * @return nanoseconds, negative after the deadline
     */
    public static long remaining(long deadlineNs) {
        return deadlineNs - System.nanoTime();
    }
}
