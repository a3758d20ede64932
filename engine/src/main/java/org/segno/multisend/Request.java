package org.segno.multisend;

import org.jspecify.annotations.Nullable;
import org.segno.status.Status;

/**
 * A persistent request of {@link Requests}: operations that are started again and again, or a receive that a handler
 * completes. Used by the thread that uses its requests.
 */
public final class Request {
    private final Requests requests;

    /** Its index in the order of creation, for messages. */
    private final int index;

    /** Operations of one start, or null for a receive. */
    private final @Nullable Runnable operations;

    /** Its own section, for a start by itself; made at the first one. */
    private @Nullable JointPattern own;

    /** Section that was started last: its own, or that of all requests. */
    private @Nullable JointPattern last;

    private long started;
    private long received;
    private boolean freed;

    Request(Requests requests, int index, @Nullable Runnable operations) {
        this.requests = requests;
        this.index = index;
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
                section = requests.prepare("start of " + this, body);
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
     * <p>The message of an exception names the request, as {@link #toString} does. After {@code startAll} it names all
     * requests with operations: the run has failed for all of them, because of one.
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
            throw new IllegalStateException(
                    "only a receive counts messages: create " + this + ", with Requests.receive");
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

    /** Returns its index among the requests of its set, in the order of creation. */
    int index() {
        return index;
    }

    private void requireOpen() {
        if (freed) {
            throw new IllegalStateException(this + " was freed: create another one");
        }
    }

    /** Returns its index in the order of creation, from 0, and its kind: operations or receive. */
    @Override
    public String toString() {
        return "request " + index + ", " + (operations == null ? "receive" : "operations");
    }
}
