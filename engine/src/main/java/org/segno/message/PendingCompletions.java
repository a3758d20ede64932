package org.segno.message;

import org.jspecify.annotations.Nullable;
import org.segno.status.SegnoException;

/**
 * Completions of operations that have ended, run by the next {@code advance}: those of immediate messages at their
 * sender, of short messages that a handler has copied into a window, and of accepted messages whose sender is gone.
 * Used by one thread.
 */
final class PendingCompletions {
    /** Limit of completions that wait for the next advance. */
    static final int CAPACITY = 1024;

    private final @Nullable Completion[] completions = new Completion[CAPACITY];
    private final @Nullable SegnoException[] failures = new SegnoException[CAPACITY];
    private long first;
    private long end;

    /** Number of places kept for the message that a handler has copied: 1 or 0. */
    private int reserved;

    boolean hasRoom() {
        return end - first + reserved < CAPACITY;
    }

    /**
     * Keeps a place for the completion of the message that a handler has, until {@link #endReservation}: the handler
     * may add completions of replies before it returns. Returns false if there is no room.
     */
    boolean reserve() {
        if (reserved == 0 && hasRoom()) {
            reserved = 1;
        }
        return reserved != 0;
    }

    void endReservation() {
        reserved = 0;
    }

    /** Adds a completion that receives {@code failure}, or null. */
    void add(Completion completion, @Nullable SegnoException failure) {
        assert hasRoom();
        final int at = (int) end++ & (CAPACITY - 1);
        completions[at] = completion;
        failures[at] = failure;
    }

    boolean isEmpty() {
        return first == end;
    }

    /**
     * Runs the pending completions and returns their number. Completions that they add are left to the next call, so
     * that the loop ends.
     */
    int poll() {
        final long last = end;
        final int ended = (int) (last - first);
        while (first != last) {
            final int at = (int) first++ & (CAPACITY - 1);
            final Completion completion = completions[at];
            final SegnoException failure = failures[at];
            completions[at] = null;
            failures[at] = null;
            Completions.run(completion, null, failure);
        }
        return ended;
    }
}
