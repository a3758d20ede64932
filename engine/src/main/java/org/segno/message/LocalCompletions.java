package org.segno.message;

import org.jspecify.annotations.Nullable;

/** Local completions of immediate messages, run by the next {@code advance}. Used by one thread. */
final class LocalCompletions {
    /** Limit of completions that wait for the next advance. */
    static final int CAPACITY = 1024;

    private final @Nullable Completion[] completions = new Completion[CAPACITY];
    private long first;
    private long end;

    boolean hasRoom() {
        return end - first < CAPACITY;
    }

    void add(Completion local) {
        completions[(int) end++ & (CAPACITY - 1)] = local;
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
        final int replies = (int) (last - first);
        while (first != last) {
            final int at = (int) first++ & (CAPACITY - 1);
            final Completion local = completions[at];
            completions[at] = null;
            Completions.run(local, null, null);
        }
        return replies;
    }
}
