package org.segno.status;

import java.util.concurrent.TimeUnit;

/**
 * Deadlines of waits: absolute values of {@link System#nanoTime()}, called {@code deadlineNs}.
 *
 * <p>They are absolute, so that one deadline bounds several successive waits. The clock's zero is arbitrary and the
 * clock may wrap. Deadlines are therefore compared by difference, never by order. Valid deadlines are the results of
 * {@link #in}, and {@link System#nanoTime()} plus or minus up to 146 years. {@code Long.MIN_VALUE} and
 * {@code Long.MAX_VALUE} do not mean "at once" or "never" but some point in time. Any thread may call these methods.
 */
public final class Deadline {
    /** Maximum distance at which differences still have the right sign: about 146 years. */
    private static final long LONGEST_NS = Long.MAX_VALUE / 2;

    private Deadline() {}

    /** Returns the present value of the clock that the deadlines of this thread are compared with. */
    public static long nowNs() {
        return DeadlineClock.nanoTime();
    }

    /**
     * Returns the deadline at the given time from now.
     *
     * @param amount amount of time, zero or more; very long ones mean about 146 years
     * @param unit unit of the amount
     * @return the absolute {@code deadlineNs}
     * @throws IllegalArgumentException if the amount is negative
     */
    public static long in(long amount, TimeUnit unit) {
        if (amount < 0) {
            throw new IllegalArgumentException(
                    "time to a deadline must not be negative: amount=" + amount + " " + unit);
        }
        return nowNs() + Math.min(unit.toNanos(amount), LONGEST_NS);
    }

    /**
     * Checks whether a deadline has been reached.
     *
     * @param deadlineNs the deadline
     * @return true at the deadline and after it
     */
    public static boolean reached(long deadlineNs) {
        return remaining(deadlineNs) <= 0;
    }

    /**
     * Returns the time to a deadline.
     *
     * @param deadlineNs the deadline
     * @return nanoseconds, negative after the deadline
     */
    public static long remaining(long deadlineNs) {
        return deadlineNs - nowNs();
    }
}
