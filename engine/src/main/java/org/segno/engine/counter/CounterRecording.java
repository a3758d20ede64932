package org.segno.engine.counter;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Threads that record a pattern, whatever group their counters belong to. Usable from any thread. */
public final class CounterRecording {
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private volatile boolean any;

    /** Begins a recording of the calling thread. */
    public synchronized void begin() {
        threads.add(Thread.currentThread());
        any = true;
    }

    /** Ends the recording of the calling thread. */
    public synchronized void end() {
        threads.remove(Thread.currentThread());
        any = !threads.isEmpty();
    }

    /** Checks that the calling thread records nothing. */
    public void requireNot() {
        if (any && threads.contains(Thread.currentThread())) {
            throw new IllegalStateException(
                    "an expectation inside record must be recorded: call context.expect(counter, bytes)");
        }
    }
}
