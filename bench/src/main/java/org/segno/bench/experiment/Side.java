package org.segno.bench.experiment;

/**
 * One end of an open experiment, used by the main thread of its process. The harness calls both ends in lock step with
 * the same arguments.
 */
public interface Side extends AutoCloseable {
    /**
     * Starts activity that must not run while other experiments are measured. Called before the slices of one visit.
     */
    default void enter() {}

    /**
     * Runs one slice without allocating.
     *
     * @param operations number of operations, at least one; the experiment defines an operation
     * @param figures receives the slice's figures at the origin, in the order of the experiment's metrics
     */
    void slice(int operations, SliceFigures figures);

    /** Stops the activity that {@link #enter} started. Called after the slices of one visit. */
    default void leave() {}

    @Override
    void close();
}
