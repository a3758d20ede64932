package org.segno.collective;

import java.util.concurrent.TimeUnit;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.SegnoException;

/**
 * Rendezvous of members that create a geometry: each publishes its counters by the geometry's name. The waits for
 * others end when any of them dies or leaves, whichever is looked for at that moment.
 */
final class Meeting implements AutoCloseable {
    /**
     * Limit of a wait before the members are checked. Longer than the first creation of a process takes: the exception
     * at the end of a slice describes all members.
     */
    private static final long SLICE_MS = 200;

    private final Client client;
    private final Context context;
    private final Members members;
    private final String geometry;
    private final String published;
    private boolean open;

    /** Publishes the counters of this member. */
    Meeting(Client client, Context context, String name, Members members, CounterPair pair) {
        this.client = client;
        this.context = context;
        this.members = members;
        this.geometry = name;
        this.published = members.published(members.key(members.self(context)), name);
        client.publish(published, pair);
        this.open = true;
    }

    /** Waits until the member with a key has published its counters, and returns them. */
    Target find(long key, long deadlineNs) {
        while (true) {
            try {
                return attach(key, deadlineNs);
            } catch (final DeadlineException e) {
                requirePresent(e, deadlineNs);
            }
        }
    }

    private Target attach(long key, long deadlineNs) {
        return context.attach(Members.rankOf(key), members.published(key, geometry), slice(deadlineNs));
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
                if (found < members.size() && Deadline.reached(searchNs)) {
                    attach(members.key(found), deadlineNs);
                    found++;
                } else {
                    context.await(counter, slice(found < members.size() ? searchNs : deadlineNs));
                }
            } catch (final DeadlineException e) {
                requirePresent(found < members.size() ? e : complete(e), deadlineNs);
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
        for (final int rank : members.ranks()) {
            final SegnoException reason = context.failure(rank);
            if (reason != null) {
                throw reason;
            }
        }
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
