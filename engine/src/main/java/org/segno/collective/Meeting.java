package org.segno.collective;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

    /** Limit of one look-up of the name. A rank on another host replies over its link. */
    private static final long LOOK_MS = 20;

    private final Client client;
    private final Context context;
    private final Members members;
    private final long first;
    private final String published;
    private final Object geometry;
    private boolean open;

    /** Publishes the counters of this member, if it is the first one. */
    Meeting(Client client, Geometry geometry, CounterPair pair) {
        this.client = client;
        this.geometry = geometry;
        this.context = geometry.contexts()[0];
        this.members = geometry.members();
        this.first = members.sortedKeys()[0];
        this.published = members.published(first, geometry.name());
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
                    throw late(missing(members.named(member -> members.key(member) == first, member -> "")));
                }
                requirePresent();
            }
        }
    }

    /** Returns the counters that the first member has published now, or null. */
    @Nullable
    Target findNow() {
        try {
            return context.attach(Members.rankOf(first), published, Deadline.in(LOOK_MS, TimeUnit.MILLISECONDS));
        } catch (final DeadlineException e) {
            return null;
        }
    }

    /** Returns the end of the next slice of a wait. */
    static long slice(long deadlineNs) {
        final long sliceNs = Deadline.in(SLICE_MS, TimeUnit.MILLISECONDS);
        return deadlineNs - sliceNs < 0 ? deadlineNs : sliceNs;
    }

    /** Returns the exception at the deadline, with what is missing. */
    DeadlineException late(String missing) {
        return new DeadlineException("the deadline passed during the creation of " + geometry + missing);
    }

    /** Describes members from which nothing has come. */
    static String missing(String names) {
        return "; no proposal yet from" + names + ": not called, or unable to take part";
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
