package org.segno.transport.aeron;

import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.YieldingIdleStrategy;

/**
 * Word that lets one thread at a time run a driver. Another thread that wants a pass does not wait: the running thread
 * makes that pass, too, before it leaves.
 */
final class Turn {
    private static final int FREE = 0;
    private static final int RUNNING = 1;
    private static final int OWED = 2;

    private final AtomicInteger state = new AtomicInteger();

    /** Begins a turn. Returns false if another thread has it, which then owes a pass. */
    boolean tryBegin() {
        while (true) {
            if (state.compareAndSet(FREE, RUNNING)) {
                return true;
            }
            if (state.compareAndSet(RUNNING, OWED) || state.get() == OWED) {
                return false;
            }
        }
    }

    /** Begins a turn, as soon as no other thread has it. */
    void begin() {
        while (!state.compareAndSet(FREE, RUNNING)) {
            YieldingIdleStrategy.INSTANCE.idle();
        }
    }

    /** Ends the turn, although a pass may be owed. */
    void end() {
        state.set(FREE);
    }

    /** Ends the turn. Returns false if a pass is owed: then the turn goes on. */
    boolean tryEnd() {
        if (state.compareAndSet(RUNNING, FREE)) {
            return true;
        }
        state.set(RUNNING);
        return false;
    }
}
