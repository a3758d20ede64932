package org.segno.collective;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.memory.Closing;
import org.segno.memory.CounterPair;
import org.segno.memory.Right;
import org.segno.memory.Window;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/**
 * Windows and counters of a geometry and of its sub-geometries. Closed ones become available again when no peer can
 * write to them any more. If there is no room for a new one, the call waits for what the client has closed, for two
 * seconds at most, and not beyond its deadline. Used by the one thread that holds the contexts.
 */
final class GeometryResources {
    private static final long PATIENCE_MS = 2_000;

    private final Client client;
    private final Context[] contexts;

    /** Deadline of the call in progress. */
    private long callDeadlineNs;

    GeometryResources(Client client, Context[] contexts) {
        this.client = client;
        this.contexts = contexts.clone();
    }

    /** Sets the deadline of the call that opens what follows. */
    void until(long deadlineNs) {
        callDeadlineNs = deadlineNs;
    }

    /**
     * Lets the engines of all contexts but the first rest, which alone advances until the end of the call: what is
     * closed becomes free, here and at the other members, only when they are quiet.
     */
    void restOthers() {
        for (int i = 1; i < contexts.length; i++) {
            ContextAccess.rest(contexts[i]);
        }
    }

    Client client() {
        return client;
    }

    /** Returns the exception of every use after the client was closed, or null. */
    @Nullable
    ClosedException closedReason() {
        // The node's own client is closed with the node.
        return client.name().isEmpty() ? null : ContextAccess.closedReason(contexts[0]);
    }

    /** Checks that the client is open. */
    void requireOpen() {
        final ClosedException reason = closedReason();
        if (reason != null) {
            throw reason;
        }
    }

    /** Checks that the calling thread can wait now in all contexts. */
    void requireMayWait() {
        for (final Context each : contexts) {
            ContextAccess.requireMayWait(each, "a call of a geometry");
        }
    }

    /** Returns the context that agrees with the other members. */
    Context context() {
        return contexts[0];
    }

    /** Returns all contexts; callers do not change the array. */
    Context[] contexts() {
        return contexts;
    }

    /**
     * Checks that what a collective needs is free, before a part of it is opened.
     *
     * @throws IllegalStateException if it is not; one message names everything
     */
    void require(CollectiveKind kind, Needs needs) {
        open(() -> {
            final long pairs = ContextAccess.freePairs(client);
            final long windows = ContextAccess.freeWindows(client);
            if (!needs.areMet(pairs, windows)) {
                throw new IllegalStateException(needs.missing(kind, pairs, windows));
            }
            return needs;
        });
    }

    /** Opens a window, as {@link Client#window} does. */
    Window window(long bytes) {
        return open(() -> client.window(bytes));
    }

    /** Opens a pair that the given ranks may write, as {@link Client#counterPair} does. */
    CounterPair pair(Window window, CounterPair.Sets sets, int[] ranks) {
        return open(() -> client.counterPair(window, sets.evenOffset(), sets.oddOffset(), sets.length(), ranks));
    }

    /** Opens a pair that the given ranks may write, read and change atomically. */
    CounterPair sharedPair(Window window, CounterPair.Sets sets, int[] ranks) {
        return open(() -> client.counterPair(
                window, sets.evenOffset(), sets.oddOffset(), sets.length(), ranks, Right.PUT, Right.GET, Right.ATOMIC));
    }

    /** Opens a pair that the given ranks may write, with {@code length} bytes of memory in the lines of its values. */
    CounterPair pairInLines(int length, int[] ranks) {
        return open(() -> ContextAccess.counterPairInLines(client, length, ranks));
    }

    /** Opens a pair over one part of a window, which the given ranks may read. */
    CounterPair readable(Window window, long offset, long length, int[] ranks) {
        return open(() -> client.counterPair(window, offset, offset, length, ranks, Right.GET));
    }

    private <T> T open(Supplier<T> resource) {
        final long patienceNs = Deadline.in(PATIENCE_MS, TimeUnit.MILLISECONDS);
        final long deadlineNs = callDeadlineNs - patienceNs < 0 ? callDeadlineNs : patienceNs;
        boolean isFree = false;
        while (true) {
            try {
                return resource.get();
            } catch (final IllegalArgumentException | IllegalStateException e) {
                final List<Closing> closings = ContextAccess.closings(client);
                if (isFree || !awaitOne(closings, deadlineNs)) {
                    throw closings.isEmpty() ? e : missing(e, closings);
                }
                // What was closed may have become available since the attempt: it is made once more then.
                isFree = closings.isEmpty();
            }
        }
    }

    /** Adds to an exception for missing room what the closings wait for. It is the same quiet for all. */
    private static IllegalStateException missing(RuntimeException e, List<Closing> closings) {
        return new IllegalStateException(
                e.getMessage() + "; " + closings.size() + " closed before are not free yet, and wait for "
                        + closings.get(0).awaited(),
                e);
    }

    /** Waits for one of the client's closings, if there are any. Returns false at the deadline. */
    private boolean awaitOne(List<Closing> closings, long deadlineNs) {
        try {
            if (!closings.isEmpty()) {
                client.await(closings.get(0), contexts[0], deadlineNs);
            }
            return true;
        } catch (final DeadlineException e) {
            // The caller reports the missing room.
            return false;
        }
    }

    void close(Window window) {
        client.close(window);
    }

    void close(CounterPair pair) {
        client.close(pair);
    }
}
