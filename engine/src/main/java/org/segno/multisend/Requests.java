package org.segno.multisend;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/**
 * Persistent requests that belong together, for the adaptor of a message-passing library. Each is created once and then
 * started by itself, or all at once by one run in each context ({@link #startAll}). Nothing is sent before the first
 * start, which records the operations; later ones replay them. Used by one thread at a time, which must hold all of the
 * contexts.
 *
 * <p>The application orders the rounds: a request must not be started again before its receivers have taken the data of
 * its last start, if they land in the same place ({@link Rounds#ORDERED_BY_CALLER}).
 */
public final class Requests implements AutoCloseable {
    /** Limit of the requests that a message names. */
    private static final int NAMED = 16;

    private final Context[] contexts;
    private final List<Request> requests = new ArrayList<>();
    private final Runnable allOperations = this::operateAll;

    /** Section of all requests, until one is added or freed. */
    private @Nullable JointPattern all;

    /** Number of requests ever created. */
    private int created;

    private long startedAll;
    private boolean closed;

    /**
     * Creates an empty set.
     *
     * @param contexts those through which its operations go, at least one, all of one client
     */
    public Requests(Context... contexts) {
        JointPattern.requireContexts(contexts);
        this.contexts = contexts.clone();
    }

    /**
     * Creates a request of any operations: sends, puts, gets, multicasts and the expectations that belong to them. The
     * first start runs {@code operations} once, as {@link Context#prepare} runs its body, and refuses what they inject
     * through a context that is not of this set.
     */
    public Request init(Runnable operations) {
        return add(new Request(this, created, Objects.requireNonNull(operations, "operations")));
    }

    /**
     * Creates a receive that a handler completes: it calls {@link Request#received} for each message that belongs to
     * the request.
     */
    public Request receive() {
        return add(new Request(this, created, null));
    }

    private void requireOpen() {
        if (closed) {
            throw new IllegalStateException("the requests were closed: make a new set");
        }
    }

    private Request add(Request request) {
        requireOpen();
        forgetAll();
        requests.add(request);
        created++;
        return request;
    }

    /**
     * Starts all requests of this set that are not freed. Their operations are one run in each context, whatever their
     * number. Never blocks.
     *
     * @return the number of this call among those that started all, from 1; {@link Status#BUSY} while the last start of
     *     any request is not complete; {@link Status#BACK_PRESSURED} while there is no room: advance then, and call
     *     again
     * @throws IllegalStateException as {@link Request#start}
     * @throws org.segno.status.SegnoException as {@link Request#start}
     */
    public long startAll() {
        requireOpen();
        boolean operates = false;
        for (int i = 0; i < requests.size(); i++) {
            final Request request = requests.get(i);
            operates |= request.operations() != null;
            if (!request.isComplete()) {
                return Status.BUSY;
            }
        }
        final JointPattern section = operates ? section() : null;
        final long status = section == null ? 0 : section.replay();
        if (status < 0) {
            return status;
        }
        for (int i = 0; i < requests.size(); i++) {
            requests.get(i).startedWith(section);
        }
        return ++startedAll;
    }

    private JointPattern section() {
        JointPattern section = all;
        if (section == null) {
            section = prepare(describeAll(), allOperations);
            all = section;
        }
        return section;
    }

    /** Describes the joint start. An error word has no slot, so that a failure is not attributed to one request. */
    private String describeAll() {
        final List<Request> operating = requests.stream()
                .filter(request -> request.operations() != null)
                .toList();
        if (operating.size() == 1) {
            return "start of " + operating.get(0);
        }
        final String indexes = operating.stream()
                .limit(NAMED)
                .map(request -> Integer.toString(request.index()))
                .collect(Collectors.joining(", "));
        final int others = operating.size() - NAMED;
        return "joint start of requests " + indexes + (others > 0 ? " and " + others + " others" : "")
                + ", operations; a failure is that of one of them";
    }

    private void operateAll() {
        for (final Request request : requests) {
            final Runnable operations = request.operations();
            if (operations != null) {
                operations.run();
            }
        }
    }

    JointPattern prepare(String purpose, Runnable operations) {
        return JointPattern.prepare(Rounds.ORDERED_BY_CALLER, purpose, operations, contexts);
    }

    /** Returns true if the last round of a section is complete. Throws if it was refused or cannot complete. */
    boolean test(JointPattern section) {
        final boolean refused = section.hasError();
        if (!refused && section.isComplete()) {
            return true;
        }
        final boolean failed = refused || section.hasUnderflow();
        final long changes = ContextAccess.peerChanges(contexts[0]);
        if (!failed && !section.isUnchecked(changes)) {
            return false;
        }
        if (section.isCompleteOrFails()) {
            return true;
        }
        // While the engines are at work, the failure of a peer may not be final yet: check again then.
        if (isDrained()) {
            section.checked(changes);
        }
        return false;
    }

    private boolean isDrained() {
        for (final Context context : contexts) {
            if (!context.isDrained()) {
                return false;
            }
        }
        return true;
    }

    void remove(Request request) {
        forgetAll();
        requests.remove(request);
    }

    /** Discards the section of all requests, because they change. A round in progress finishes. */
    private void forgetAll() {
        final JointPattern section = all;
        if (section != null) {
            section.close();
            all = null;
        }
    }

    /** Frees all requests. Idempotent. */
    @Override
    public void close() {
        closed = true;
        forgetAll();
        for (final Request request : List.copyOf(requests)) {
            request.free();
        }
    }

    @Override
    public String toString() {
        return requests.size() + " requests in " + contexts.length + " contexts";
    }
}
