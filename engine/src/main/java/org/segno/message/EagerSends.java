package org.segno.message;

import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.engine.fifo.FifoMetadata;

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

    void add(long position, int rank, @Nullable Completion local, @Nullable Completion remote) {
        final int at = (int) end & (CAPACITY - 1);
        positions[at] = position;
        ranks[at] = rank;
        locals[at] = local;
        remotes[at] = remote;
        end++;
    }

    boolean isEmpty() {
        return first == end;
    }

    /** Completes the messages that the engine has carried out, and returns their number. */
    int poll() {
        final long before = first;
        final long head = fifo.headAcquire();
        while (first != end && positions[(int) first & (CAPACITY - 1)] < head) {
            final int at = (int) first & (CAPACITY - 1);
            final Completion local = locals[at];
            final Completion remote = remotes[at];
            locals[at] = null;
            remotes[at] = null;
            first++;
            // It is unknown whether a target that died received a record stored before its death, so its failure is
            // reported.
            Completions.run(local, remote, context.failure(ranks[at]));
        }
        return (int) (first - before);
    }
}
