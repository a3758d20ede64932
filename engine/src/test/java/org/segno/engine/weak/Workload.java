package org.segno.engine.weak;

import java.util.List;
import java.util.SplittableRandom;
import org.segno.engine.memory.NodeDimensions;

/** Operations of the threads of a run, and the outcomes that they must never see. */
interface Workload {
    /** Returns the dimensions of the nodes that it needs. */
    NodeDimensions dimensions();

    /**
     * Returns true if full fences take effect. They do so only where they are tested: elsewhere, the fence of a quiet
     * point could replace another ordering.
     */
    default boolean keepsFences() {
        return false;
    }

    /** Returns true if waits park at doorbells. */
    default boolean parks() {
        return false;
    }

    /** Returns true for two nodes that are joined by a link and map no memory of each other. */
    default boolean isLinked() {
        return false;
    }

    /** Returns true if the thread of rank 0's application runs its engine. */
    default boolean isInvoked() {
        return false;
    }

    /** Sets the nodes up, without disorder, and returns the threads' bodies. */
    List<Runnable> threads(WeakNodes nodes, SplittableRandom chance);
}
