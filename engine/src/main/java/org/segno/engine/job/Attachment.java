package org.segno.engine.job;

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
     * Lets another thread carry out {@code work} about every 10 ms, until the node is released. A simulation does not:
     * its nodes never compute for long.
     */
    default void regularly(Runnable work) {}

    /** Notifies the other ranks that the node has failed: for them it has died. */
    void fail();

    /** Notifies the other ranks that the node has left. No notification of the job reaches it any more. */
    void leave();

    /** Releases what the node has opened of its own and its peers' memory. The last call. */
    void release();
}
