package org.segno.multisend;

import org.jspecify.annotations.Nullable;
import org.segno.status.Status;

/**
 * A persistent request of {@link Requests}: operations that are started again and again, or a receive that a handler
 * completes. Used by the thread that uses its requests.
 */
public final class Request {
    private final Requests requests;

    /** Operations of one start, or null for a receive. */
    private final @Nullable Runnable operations;

    /** Its own section, for a start by itself; made at the first one. */
    private @Nullable JointPattern own;

    /** Section that was started last: its own, or that of all requests. */
    private @Nullable JointPattern last;

    private long started;
    private long received;
    private boolean freed;

    Request(Requests requests, @Nullable Runnable operations) {
        this.requests = requests;
        this.operations = operations;
    }

    /**
     * Starts the request by itself, as one run. Its operations are recorded at the first start and replayed from then
     * on; they read the current content of their windows. The windows belong to the engine until {@link #test} returns
     * true. Never blocks.
     *
     * @return the number of this start, from 1; {@link Status#BUSY} while the last start is not complete;
     *     {@link Status#BACK_PRESSURED} while there is no room: advance then
     * @throws IllegalStateException if the request was freed, the operations cannot be recorded, in a handler, or
     *     inside {@code record}
     * @throws org.segno.status.SegnoException as {@link org.segno.context.Context#replay}
     */
    public long start() {
        requireOpen();
        if (!isComplete()) {
            return Status.BUSY;
        }
        final Runnable body = operations;
        if (body != null) {
            JointPattern section = own;
            if (section == null) {
                section = requests.prepare(body);
                own = section;
            }
            final long status = section.replay();
            if (status < 0) {
                return status;
            }
            last = section;
        }
        return ++started;
    }

    /**
     * Returns true if the last start is complete, or there was none. A receive is complete when {@link #received} was
     * called as often as it was started. Other requests are complete when everything is carried out and everything
     * expected has arrived; after {@link Requests#startAll}, for all requests of that run. Does not advance.
     *
     * @throws org.segno.status.SegnoException as {@link org.segno.context.Context#await(org.segno.pattern.Pattern,
     *     long, long)}, if the start was refused or cannot complete
     */
    public boolean test() {
        final JointPattern section = last;
        return hasReceived() && (section == null || requests.test(section));
    }

    /**
     * Counts a message as received. The application's handler calls it for each message of this receive, also for those
     * that arrive before their start.
     *
     * @throws IllegalStateException if the request is not a receive
     */
    public void received() {
        if (operations != null) {
            throw new IllegalStateException("only a receive counts messages: create the request with Requests.receive");
        }
        received++;
    }

    /** Ends the request. A start in progress is completed, then its section is freed. Idempotent. */
    public void free() {
        if (!freed) {
            freed = true;
            requests.remove(this);
            final JointPattern section = own;
            if (section != null) {
                section.close();
            }
        }
    }

    /** Returns true if it can be started, as far as its last start is concerned. */
    boolean isComplete() {
        final JointPattern section = last;
        return hasReceived() && (section == null || section.isComplete());
    }

    private boolean hasReceived() {
        return operations != null || received >= started;
    }

    /** Returns the operations of one start, or null for a receive. */
    @Nullable
    Runnable operations() {
        return operations;
    }

    /** Records that all requests were started as {@code section}. */
    void startedWith(@Nullable JointPattern section) {
        if (operations != null) {
            last = section;
        }
        started++;
    }

    private void requireOpen() {
        if (freed) {
            throw new IllegalStateException("the request was freed: create another one");
        }
    }
}
