package org.segno.tools.demo.solver;

/** Is told how a solve goes on; called by the solving thread after every iteration, outside of what is timed. */
@FunctionalInterface
public interface Progress {
    /** For a solve that nobody watches. */
    Progress UNSEEN = (iteration, relativeResidual, nowNs) -> {};

    /**
     * One more iteration is done.
     *
     * @param iteration iterations done.
     * @param relativeResidual what is left.
     * @param nowNs {@link System#nanoTime()}, which has just been read.
     */
    void iterated(int iteration, double relativeResidual, long nowNs);
}
