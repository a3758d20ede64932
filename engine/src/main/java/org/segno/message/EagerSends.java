package org.segno.message;

import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.operation.Message;
import org.segno.operation.OperationAccess;

/**
 * Messages in one record of a lane that have a completion. They are carried out in the order of their injection. Used
 * by one thread.
 */
final class EagerSends {
    /** Limit of messages in progress. */
    static final int CAPACITY = 1024;

    private final Context context;
    private final FifoMetadata fifo;
    private final long[] positions = new long[CAPACITY];
    private final int[] ranks = new int[CAPACITY];
    private final int[] targets = new int[CAPACITY];
    private final @Nullable Completion[] locals = new Completion[CAPACITY];
    private final @Nullable Completion[] remotes = new Completion[CAPACITY];
    private long first;
    private long end;

    /** Creates the messages sent through {@code fifo}, one of the context's. */
    EagerSends(Context context, FifoMetadata fifo) {
        this.context = context;
        this.fifo = fifo;
    }

    boolean hasRoom() {
        return end - first < CAPACITY;
    }

    void add(long position, Message message, @Nullable Completion local, @Nullable Completion remote) {
        final int at = (int) end & (CAPACITY - 1);
        positions[at] = position;
        ranks[at] = OperationAccess.rank(message);
        targets[at] = ContextAccess.target(context, message);
        locals[at] = local;
        remotes[at] = remote;
        end++;
    }

    boolean isEmpty() {
        return first == end;
    }

    /** Returns the number of messages that were ever added. */
    long added() {
        return end;
    }

    /**
     * Completes the messages that the engine has carried out, and returns their number: of those up to {@code last},
     * because what is added later may have a local completion that is still pending.
     */
    int poll(long last) {
        final long before = first;
        final long head = fifo.headAcquire();
        while (first != last && positions[(int) first & (CAPACITY - 1)] < head) {
            final int at = (int) first & (CAPACITY - 1);
            final Completion local = locals[at];
            final Completion remote = remotes[at];
            locals[at] = null;
            remotes[at] = null;
            first++;
            // It is unknown whether a target that died, or whose client was closed, received a record stored before, so
            // the failure is reported.
            Completions.run(local, remote, ContextAccess.failure(context, ranks[at], targets[at]));
        }
        return (int) (first - before);
    }
}
