package org.segno.message;

import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.InjectionCounter;
import org.segno.status.ClosedException;
import org.segno.status.PeerFailedException;
import org.segno.status.Refusal;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/**
 * One-sided calls in progress that have completions. Each has an injection counter of its own, which separates its
 * failure from those of others. They complete in the order of the calls. Used by one thread.
 */
final class OneSidedCalls {
    /** Limit of calls in progress. */
    static final int CAPACITY = 64;

    private final Client client;
    private final Context context;
    private final Call[] calls = new Call[CAPACITY];

    /** Counters at zero without a call. They are opened on demand and kept. */
    private final @Nullable InjectionCounter[] free = new InjectionCounter[CAPACITY];

    private int freeCount;
    private long first;
    private long end;

    /** True once the client had no further counter: from then on the present ones are used in turn. */
    private boolean exhausted;

    private static final class Call {
        @Nullable
        InjectionCounter counter;

        long position;
        int rank;

        @Nullable
        Completion local;

        @Nullable
        Completion remote;
    }

    OneSidedCalls(Client client, Context context) {
        this.client = client;
        this.context = context;
        for (int i = 0; i < CAPACITY; i++) {
            calls[i] = new Call();
        }
    }

    boolean isEmpty() {
        return first == end;
    }

    /**
     * Returns a counter at zero for the next call, or null while there is none.
     *
     * @throws IllegalStateException if the client has no counter and no call is in progress; the message names the
     *     setting to raise
     */
    @Nullable
    InjectionCounter take() {
        if (end - first == CAPACITY) {
            return null;
        }
        if (freeCount > 0) {
            final InjectionCounter counter = free[--freeCount];
            free[freeCount] = null;
            return counter;
        }
        return exhausted && !isEmpty() ? null : open();
    }

    private @Nullable InjectionCounter open() {
        try {
            return client.injectionCounter();
        } catch (final IllegalStateException e) {
            if (isEmpty()) {
                throw e;
            }
            exhausted = true;
            return null;
        }
    }

    /** Returns a counter that no call uses. */
    void giveBack(InjectionCounter counter) {
        free[freeCount++] = counter;
    }

    /**
     * Adds the call that was injected at {@code position} and counts {@code bytes} down at {@code counter}. Expects
     * them here, after the injection, because a refused injection must not leave an expectation.
     */
    void add(InjectionCounter counter, long bytes, long position, int rank, Completions ends) {
        counter.expect(bytes);
        final Call call = calls[(int) end++ & (CAPACITY - 1)];
        call.counter = counter;
        call.position = position;
        call.rank = rank;
        call.local = ends.local();
        call.remote = ends.remote();
    }

    /** Completes the calls that have ended, and returns their number. */
    int poll() {
        final long last = end;
        int done = 0;
        // Calls that a completion adds are left to the next poll, so that the loop ends.
        while (first != last && endFirst()) {
            done++;
        }
        return done;
    }

    private boolean endFirst() {
        final Call call = calls[(int) first & (CAPACITY - 1)];
        final InjectionCounter counter = call.counter;
        if (counter == null || !context.isCarriedOut(call.position)) {
            return false;
        }
        final long error = counter.errorAcquire();
        SegnoException failure = null;
        if (error != 0) {
            failure = refusal(error);
        } else if (counter.valueAcquire() > 0) {
            // Parts in other FIFOs may be in progress, or a reply of a linked rank that has died never arrives.
            failure = context.isDrained() ? context.failure(call.rank) : null;
            if (failure == null) {
                return false;
            }
        }
        end(call, counter, failure);
        return true;
    }

    private void end(Call call, InjectionCounter counter, @Nullable SegnoException failure) {
        final Completion local = call.local;
        final Completion remote = call.remote;
        call.counter = null;
        call.local = null;
        call.remote = null;
        first++;
        if (failure == null) {
            giveBack(counter);
        } else {
            discard(counter);
        }
        Completions.run(local, remote, failure);
    }

    /** Closes a counter that late parts of its failed call may still change. */
    private void discard(InjectionCounter counter) {
        try {
            client.close(counter);
        } catch (final ClosedException e) {
            // The node was closed, and with it all counters; the completion still runs.
            exhausted = true;
        }
    }

    private static SegnoException refusal(long error) {
        final int rank = InjectionCounter.rank(error);
        final int code = InjectionCounter.code(error);
        final String loss = Refusal.loss(code, rank);
        return loss == null
                ? new RefusedException(
                        rank, "rank " + rank + " refused a one-sided call of a messenger: " + Refusal.reason(code))
                : new PeerFailedException(rank, loss + "; a one-sided call of a messenger failed");
    }
}
