package org.segno.collective;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;

/**
 * Rendezvous of ranks that create a geometry: each publishes its counters by the geometry's name, and finds those of
 * the others. It ends at the death of any of them, whichever is looked for at that moment.
 */
final class Meeting implements AutoCloseable {
    private static final String NAME_PREFIX = "geometry.";

    /** Limit of the search for one member before the others are checked. */
    private static final long SLICE_MS = 20;

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

    /** Waits for the counters of all others, and returns them. */
    Target[] others(int self, long deadlineNs) {
        final Target[] pairs = new Target[ranks.length];
        for (int distance = 1; distance < ranks.length; distance++) {
            final int member = (self + distance) % ranks.length;
            Target found = null;
            while (found == null) {
                found = find(ranks[member], deadlineNs);
            }
            pairs[member] = found;
        }
        return pairs;
    }

    private @Nullable Target find(int rank, long deadlineNs) {
        final long sliceNs = Deadline.in(SLICE_MS, TimeUnit.MILLISECONDS);
        try {
            return context.attach(rank, published, deadlineNs - sliceNs < 0 ? deadlineNs : sliceNs);
        } catch (final DeadlineException e) {
            if (Deadline.reached(deadlineNs)) {
                throw e;
            }
            requireAlive();
            return null;
        }
    }

    private void requireAlive() {
        for (final int rank : ranks) {
            if (context.failure(rank) instanceof PeerFailedException dead) {
                throw dead;
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
