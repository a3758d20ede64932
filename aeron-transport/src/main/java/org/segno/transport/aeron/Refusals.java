package org.segno.transport.aeron;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Counts of dropped datagrams, by reason: those of a link, or of all links of a driver. */
final class Refusals {
    private static final Logger LOGGER = System.getLogger(Refusals.class.getName());

    /** Limit of the whole process, so that nobody can fill its log. */
    private static final LogLimit LIMIT = new LogLimit();

    private final Map<Refusal, AtomicLong> counts = new EnumMap<>(Refusal.class);
    private final @Nullable Refusals all;
    private final int rank;

    private Refusals(@Nullable Refusals all, int rank) {
        this.all = all;
        this.rank = rank;
        for (final Refusal reason : Refusal.values()) {
            counts.put(reason, new AtomicLong());
        }
    }

    /** Returns counts of all links of a driver. */
    static Refusals ofDriver() {
        return new Refusals(null, -1);
    }

    /** Returns counts of the link to a rank, which are included in these. */
    Refusals ofLink(int peer) {
        return new Refusals(this, peer);
    }

    long count(Refusal reason) {
        return counter(reason).get();
    }

    private AtomicLong counter(Refusal reason) {
        return requireNonNull(counts.get(reason));
    }

    /** Counts a datagram, and logs it unless others were logged just before. */
    void add(Refusal reason, InetSocketAddress source) {
        final long count = counter(reason).incrementAndGet();
        if (all != null) {
            all.counter(reason).incrementAndGet();
        }
        if (reason != Refusal.STALE && LIMIT.admits(System.nanoTime())) {
            LOGGER.log(
                    Level.WARNING,
                    "dropped a datagram at a link: reason=" + reason + " peer=" + rank + " source=" + source + " count="
                            + count);
        }
    }
}
