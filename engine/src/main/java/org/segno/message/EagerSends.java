package org.segno.message;

import org.jspecify.annotations.Nullable;
import org.segno.context.Context;

/** Messages in one record of a lane whose sender wants to hear of their end: carried out in the order in which they were injected. One thread. */
final class EagerSends {
    /** That may be under way. */
    static final int CAPACITY = 1024;

    private final Context context;
    private final long[] positions = new long[CAPACITY];
    private final int[] ranks = new int[CAPACITY];
    private final @Nullable Completion[] locals = new Completion[CAPACITY];
    private final @Nullable Completion[] remotes = new Completion[CAPACITY];
    private long first;
    private long end;

    EagerSends(Context context) {
        this.context = context;
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

    /** Completes those that the engine has carried out, and answers how many. */
    int poll() {
        final long before = first;
        final long head = context.fifo().headAcquire();
        while (first != end && positions[(int) first & (CAPACITY - 1)] < head) {
            final int at = (int) first & (CAPACITY - 1);
            final Completion local = locals[at];
            final Completion remote = remotes[at];
            locals[at] = null;
            remotes[at] = null;
            first++;
            // What memory took before the target died was delivered: only the target knows, who is dead.
            Hearers.tell(local, remote, context.failure(ranks[at]));
        }
        return (int) (first - before);
    }
}
