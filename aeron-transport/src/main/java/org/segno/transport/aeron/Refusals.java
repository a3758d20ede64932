package org.segno.transport.aeron;

import static java.util.Objects.requireNonNull;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;

/** Counts of the datagrams that an end of a link has dropped, by reason. */
final class Refusals {
    private static final Logger LOGGER = System.getLogger(Refusals.class.getName());

    /** Limit of the whole process, so that nobody can fill its log. */
    private static final LogLimit LIMIT = new LogLimit();

    private final Map<DatagramRefusal, AtomicLong> counts = new EnumMap<>(DatagramRefusal.class);
    private final DriverCounts all;
    private final int rank;

    /** Creates the counts of the link to a rank. {@code all} counts those of all links. */
    Refusals(DriverCounts all, int rank) {
        this.all = all;
        this.rank = rank;
        for (final DatagramRefusal reason : DatagramRefusal.values()) {
            counts.put(reason, new AtomicLong());
        }
    }

    long count(DatagramRefusal reason) {
        return counter(reason).get();
    }

    private AtomicLong counter(DatagramRefusal reason) {
        return requireNonNull(counts.get(reason));
    }

    /** Counts a datagram, and logs it unless others were logged just before. */
    void add(DatagramRefusal reason, InetSocketAddress source) {
        final long count = counter(reason).incrementAndGet();
        all.refused(reason);
        if (reason != DatagramRefusal.STALE && LIMIT.admits(System.nanoTime())) {
            LOGGER.log(
                    Level.WARNING,
                    "dropped a datagram at a link: reason=" + reason + " peer=" + rank + " source=" + source + " count="
                            + count);
        }
    }
}
