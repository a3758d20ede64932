package org.segno.node;

import java.util.Locale;
import java.util.function.Supplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.jspecify.annotations.Nullable;

/**
 * Idle strategies by name, for {@code SEGNO_IDLE}. A strategy decides how a thread passes its time while it waits: a
 * context in its waits, and an engine with a thread of its own. Immutable; any thread may use it.
 *
 * <pre>
 *  name       a thread without work                                              latency     its core, while it waits
 *  default    spins for about 4 us, then yields after each pass;                 low         shared with threads that
 *             as park where the job's threads outnumber the cores                            want it
 *  busy-spin  spins, and never gives up its core                                 lowest      occupied
 *  yield      yields after each pass                                             low         shared
 *  backoff    spins 10 times, yields 5 times, then parks for 1 us, doubled       up to 1 ms  nearly free
 *             with each park up to 1 ms
 *  park       yields 2,000 times, then parks until a message arrives             about 0.1   nearly free
 *                                                                                ms
 * </pre>
 */
public enum Idling {
    /** Spins for a bounded time, then yields; parks too where threads outnumber cores. */
    DEFAULT,

    /** Spins without end: the lowest latency for threads that have cores of their own, and the worst for all others. */
    BUSY_SPIN,

    /** Yields after each pass without work. */
    YIELD,

    /** Spins and yields a few times, then parks up to a millisecond at a time. */
    BACKOFF,

    /** Yields for about a millisecond, and then parks until a message or another event wakes the thread. */
    PARK;

    private static final int BACKOFF_SPINS = 10;
    private static final int BACKOFF_YIELDS = 5;
    private static final long BACKOFF_MIN_PARK_NS = 1_000;
    private static final long BACKOFF_MAX_PARK_NS = 1_000_000;

    private static IdleStrategy backoff() {
        return new BackoffIdleStrategy(BACKOFF_SPINS, BACKOFF_YIELDS, BACKOFF_MIN_PARK_NS, BACKOFF_MAX_PARK_NS);
    }

    /** Returns the supplier of new strategies, or null for {@link #DEFAULT}, which depends on the number of cores. */
    @Nullable
    Supplier<IdleStrategy> supplier() {
        return switch (this) {
            case DEFAULT -> null;
            case BUSY_SPIN -> BusySpinIdleStrategy::new;
            case YIELD -> YieldingIdleStrategy::new;
            case BACKOFF -> Idling::backoff;
            case PARK -> OversubscribedIdle::new;
        };
    }

    /** Returns the name as users write it: {@code busy-spin}. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
