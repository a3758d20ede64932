package org.segno.collective;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

/**
 * Rendezvous of ranks that create a geometry: each publishes its counters by the geometry's name. The waits for others
 * end when any of them dies or leaves, whichever is looked for at that moment.
 */
final class Meeting implements AutoCloseable {
    private static final String NAME_PREFIX = "geometry.";

    /**
     * Limit of a wait before the members are checked. Longer than the first creation of a process takes: the exception
     * at the end of a slice describes all members.
     */
    private static final long SLICE_MS = 200;

    private final Client client;
    private final Context context;
    private final int[] ranks;
    private final String published;
    private boolean open;

    /** Publishes the counters of this rank. */
    Meeting(Client client, Context context, String name, int[] ranks, CounterPair pair) {
        this.client = client;
        this.context = context;
        this.ranks = ranks;
        this.published = NAME_PREFIX + name;
        client.publish(published, pair);
        this.open = true;
    }

    /** Waits until a member has published its counters, and returns them. */
    Target find(int rank, long deadlineNs) {
        while (true) {
            try {
                return context.attach(rank, published, slice(deadlineNs));
            } catch (final DeadlineException e) {
                requirePresent(e, deadlineNs);
            }
        }
    }

    /**
     * Waits until everything expected at a counter has arrived, to which all members contribute. In the second half of
     * the time to the deadline it searches for the counters of all members, so that the exception at the deadline names
     * the one that is missing.
     */
    void await(ReceptionCounter counter, long deadlineNs) {
        final long remainingNs = Math.max(0, Deadline.remaining(deadlineNs));
        final long searchNs = Deadline.in(remainingNs / 2, TimeUnit.NANOSECONDS);
        int found = 0;
        // A member that is not found may have withdrawn its name, because everything has arrived there.
        while (counter.valueAcquire() > 0) {
            try {
                if (found < ranks.length && Deadline.reached(searchNs)) {
                    context.attach(ranks[found], published, slice(deadlineNs));
                    found++;
                } else {
                    context.await(counter, slice(found < ranks.length ? searchNs : deadlineNs));
                }
            } catch (final DeadlineException e) {
                requirePresent(found < ranks.length ? e : complete(e), deadlineNs);
            }
        }
    }

    private static DeadlineException complete(DeadlineException reason) {
        return new DeadlineException(
                reason.getMessage() + "; all members were found: they may have been given other lists of members");
    }

    /** Returns the end of the next slice of a wait. */
    private static long slice(long deadlineNs) {
        final long sliceNs = Deadline.in(SLICE_MS, TimeUnit.MILLISECONDS);
        return deadlineNs - sliceNs < 0 ? deadlineNs : sliceNs;
    }

    /** After a slice, checks that the deadline is not reached, and that no member has died or left. */
    private void requirePresent(DeadlineException atDeadline, long deadlineNs) {
        if (Deadline.reached(deadlineNs)) {
            throw atDeadline;
        }
        for (final int rank : ranks) {
            final SegnoException reason = context.failure(rank);
            if (reason != null) {
                throw reason;
            }
        }
    }

    /** Returns the ranks that are not known to have died. */
    static int[] living(Context context, int[] ranks) {
        return Arrays.stream(ranks)
                .filter(rank -> !(context.failure(rank) instanceof PeerFailedException))
                .toArray();
    }

    /** Withdraws the name, once. */
    void end() {
        if (open) {
            open = false;
            client.withdraw(published);
        }
    }

    @Override
    public void close() {
        end();
    }
}
