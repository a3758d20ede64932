package org.segno.bench.experiment;

/** Exchange of both ends at the same time, which a {@link RoundSide} repeats and times. */
@FunctionalInterface
public interface TimedRound {
    /** Runs one round: returns when all messages have been sent and received. Called at both ends equally often. */
    void run();

    /** Frees the resources of the exchange. */
    default void close() {}
}
