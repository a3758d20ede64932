package org.segno.engine.job;

import java.util.function.LongPredicate;

/** The job of a node, as the node uses it from its join until its end. Any thread may call any method. */
public interface Attachment {
    /**
     * Returns true once the process of a rank has ended, so that it can no longer write anywhere; always false for a
     * rank of this process. Does not wait.
     */
    boolean isProcessGone(int rank);

    /** Returns true if the node neither records nor logs errors and losses, because a simulation checks for them. */
    default boolean isSilent() {
        return false;
    }

    /**
     * Lets another thread carry out {@code work} regularly, until the node is released. A simulation does not: its
     * nodes never compute for long.
     *
     * @param work is given the time, {@link System#nanoTime}, and returns true to be called again after some 10 ms,
     *     false for some 40 ms
     */
    default void regularly(LongPredicate work) {}

    /** Returns the requests of this rank for numbers of ranks in other processes, and its replies to theirs. */
    Inquiries inquiries();

    /** Notifies the other ranks that the node has failed: for them it has died. */
    void fail();

    /** Notifies the other ranks that the node has left. No notification of the job reaches it any more. */
    void leave();

    /** Releases what the node has opened of its own and its peers' memory. The last call. */
    void release();
}
