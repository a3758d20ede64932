package org.segno.message;

import org.jspecify.annotations.Nullable;

/** Senders of immediate messages who have their payloads back, and have yet to hear of that. One thread. */
final class TakenPayloads {
    /** That may wait for the next advance. */
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

    /** Tells those that wait now, and answers how many: what they send is for the next time, or there would be no end. */
    int poll() {
        final long last = end;
        final int told = (int) (last - first);
        while (first != last) {
            final int at = (int) first++ & (CAPACITY - 1);
            final Completion local = completions[at];
            completions[at] = null;
            Hearers.tell(local, null, null);
        }
        return told;
    }
}
