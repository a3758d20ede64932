package org.segno.engine.work;

import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.DirectExecution;
import org.segno.engine.fifo.Exclusion;
import org.segno.engine.fifo.ReceptionFifoProducer;

/**
 * One step of progress, which an idle loop repeats: an engine's pass, given to a context by its node under
 * {@code INVOKER}, or a context's own pass. Run by one thread at a time.
 */
public interface Pass {
    /** Runs once and never waits. Returns the amount of work done, or zero if there was none. */
    int run();

    /**
     * Declares the engine quiet until the next {@link #run}, because the caller may park. Memory can be reused
     * meanwhile.
     */
    void rest();

    /**
     * Returns true if the last {@link #run} has left work that only further passes complete, without a notification.
     */
    boolean isBlocked();

    /**
     * Returns the producer of the lane into a context of a rank, for the thread that runs the passes, between two of
     * them. Returns null if this is no pass of an engine, or the engine has no such lane in mapped memory.
     */
    default @Nullable ReceptionFifoProducer lane(int rank, int context) {
        return null;
    }

    /**
     * Returns the direct execution of descriptors, for the thread that runs the passes, between two of them. Returns
     * null if this is no pass of an engine.
     */
    default @Nullable DirectExecution direct() {
        return null;
    }

    /**
     * Returns the exclusion of other threads from the engine. The thread that runs the passes holds it while it writes
     * to a {@link #lane} itself.
     */
    default Exclusion exclusion() {
        return Exclusion.NONE;
    }

    /** Wakes the waiter of a context of a rank if it is parked: a record was published in the lane of {@link #lane}. */
    default void arrived(int rank, int context) {}
}
