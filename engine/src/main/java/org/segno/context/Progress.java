package org.segno.context;

import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** View of a context that its waits have: they make passes until a condition is met or the context is closed. */
interface Progress {
    /** Makes one pass of the context, also after its close. Returns the amount of work done. */
    int pass();

    /**
     * Checks that the calling thread may make a pass.
     *
     * @throws IllegalStateException within a handler, posted work or a batch
     */
    void requireOutsidePass();

    /**
     * Returns true, once, if a thread that shares its core has just begun a round that stands at a WAIT: a pass would
     * find it there once more, and a rank that meets it may need the core.
     */
    boolean isPauseDue();

    /** Marks the engine as quiet until the next pass, because the caller may park. */
    void rest();

    /**
     * Returns true if only further passes complete pending work, without a notification: posted work, and descriptors
     * without room at their targets.
     */
    boolean isBlocked();

    /** Returns true when the engine has carried out everything that was injected, recorded and replayed. */
    boolean isDrained();

    /**
     * Returns true if nothing is left for the engine except what is held at WAITs for counters whose sources
     * {@code lost} accepts. True as well if nothing is left.
     */
    boolean isHeldBy(IntPredicate lost);

    /** Returns true if the node has other contexts. */
    boolean hasOthers();

    /** Returns true if the engine still has something to carry out for another context of the node. */
    boolean areOthersAtWork();

    /** Returns the reason for which the context was closed, or null. */
    @Nullable
    String closedReason();

    /** Returns the reason for which the client of the context was closed, or null. No pass follows. */
    @Nullable
    String endedReason();

    /** Returns the name of a FIFO that the engine no longer serves because its words are invalid, or null. */
    @Nullable
    String quarantined();

    /** Describes descriptors that are not carried out and open loans, as the continuation of a sentence. Allocates. */
    String pending();
}
