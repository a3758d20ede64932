package org.segno.collective;

import java.util.concurrent.TimeUnit;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.SegnoException;

/**
 * Rendezvous of members that create a geometry: the one of the lowest key publishes its counters by the geometry's
 * name. The waits for others end when any of them dies or leaves, whichever is looked for at that moment.
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
    private final long first;
    private final String published;
    private boolean open;

    /** Publishes the counters of this member, if it is the first one. */
    Meeting(Client client, Context context, String name, Members members, CounterPair pair) {
        this.client = client;
        this.context = context;
        this.members = members;
        this.first = members.sortedKeys()[0];
        this.published = members.published(first, name);
        if (first == members.key(members.self(context))) {
            client.publish(published, pair);
            this.open = true;
        }
    }

    /** Waits until the first member has published its counters, and returns them. */
    Target find(long deadlineNs) {
        while (true) {
            try {
                return context.attach(Members.rankOf(first), published, slice(deadlineNs));
            } catch (final DeadlineException e) {
                if (Deadline.reached(deadlineNs)) {
                    throw e;
                }
                requirePresent();
            }
        }
    }

    /** Returns the end of the next slice of a wait. */
    static long slice(long deadlineNs) {
        final long sliceNs = Deadline.in(SLICE_MS, TimeUnit.MILLISECONDS);
        return deadlineNs - sliceNs < 0 ? deadlineNs : sliceNs;
    }

    /** Checks after a slice that no member has died or left. */
    void requirePresent() {
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
