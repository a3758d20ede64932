package org.segno.bench.experiment;

/**
 * Transfers of one size that another agent carries out: an engine with a core of its own, or the caller's engine when
 * the caller waits. Each implementation has its own tight loops, so that the JIT sees one receiver type in each.
 */
public interface Transfer extends AutoCloseable {
    /** Starts transfers without waiting for them. */
    void start(int count);

    /** Waits until all started transfers have landed and the caller has seen that. */
    void await();

    /** Starts {@code count} transfers, each after the one before has been seen. */
    void oneByOne(int count);

    /** Lets the agent work. Called before the slices of one visit. */
    default void enter() {}

    /** Lets the agent park. Called after the slices of one visit. */
    default void leave() {}

    @Override
    void close();
}
