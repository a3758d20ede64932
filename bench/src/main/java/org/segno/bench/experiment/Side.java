package org.segno.bench.experiment;

/**
 * One end of an open experiment, used by the main thread of its process. The harness calls both ends in lock step with
 * the same arguments.
 */
public interface Side extends AutoCloseable {
    /** Before the slices of one visit: start what may not run while other experiments are measured. */
    default void enter() {}

    /**
     * Runs one slice. It allocates nothing.
     *
     * @param operations how many operations, at least one; what an operation is, the experiment says
     * @param figures where the origin stores the slice's figures, in the order of the experiment's metrics
     */
    void slice(int operations, Figures figures);

    /** After the slices of one visit: stop what {@link #enter} started. */
    default void leave() {}

    @Override
    void close();
}
