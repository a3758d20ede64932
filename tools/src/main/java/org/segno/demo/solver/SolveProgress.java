package org.segno.demo.solver;

/** Listener of a solve's progress. The solving thread calls it after every iteration, outside the timed section. */
@FunctionalInterface
public interface SolveProgress {
    /** Listener that does nothing. */
    SolveProgress NONE = (iteration, relativeResidual, nowNs) -> {};

    /**
     * Receives the end of an iteration.
     *
     * @param iteration iterations done
     * @param relativeResidual current relative residual
     * @param nowNs {@link System#nanoTime()}, which has just been read
     */
    void iterated(int iteration, double relativeResidual, long nowNs);
}
