package org.segno.memory;

import org.jspecify.annotations.Nullable;

/**
 * Closing of a window or a counter. The application no longer uses it, and messages to it are refused. Its id and its
 * memory are reused once nothing can write there any more. It never blocks: {@link #isDone} checks the progress. Usable
 * from any thread.
 *
 * <p>It waits for the following, in this order: earlier work of this node's engine, both injected descriptors and
 * queued rounds; for a window, the counters over it; then every engine that could write there, until that engine has
 * been quiet or its process is gone; and every loan that the ranks of these engines had open. If a rank's application
 * runs its engine, the rank is quiet when the application advances. If it computes for minutes without advancing, the
 * closing takes as long, and nothing else is affected.
 */
public interface Closing {
    /** Returns true once the id and the memory are free. Checks the progress, and frees them if possible. */
    boolean isDone();

    /** Describes the pending work, or returns null once the closing is done. Checks the progress first. */
    @Nullable
    String awaited();
}
