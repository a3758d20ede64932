package org.segno.engine.counter;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Threads that record a pattern, whatever group their counters belong to. Usable from any thread. */
public final class CounterRecording {
    /** Number of open recordings by thread; a thread may record in several contexts. */
    private final Map<Thread, Integer> threads = new ConcurrentHashMap<>();

    private volatile boolean any;

    /** Begins a recording of the calling thread. */
    public synchronized void begin() {
        threads.merge(Thread.currentThread(), 1, Integer::sum);
        any = true;
    }

    /** Ends a recording of the thread that began it. */
    public synchronized void end(Thread began) {
        threads.computeIfPresent(began, (thread, open) -> open == 1 ? null : open - 1);
        any = !threads.isEmpty();
    }

    /** Checks that the calling thread records nothing. */
    public void requireNot() {
        if (any && threads.containsKey(Thread.currentThread())) {
            throw new IllegalStateException(
                    "an expectation inside record must be recorded: call context.expect(counter, bytes)");
        }
    }
}
