package org.segno.demo.solver;

import org.jspecify.annotations.Nullable;

/**
 * Result of a solve.
 *
 * @param iterations iterations begun; the last one is incomplete after a breakdown
 * @param relativeResidual norm of the residual that the iteration updates, divided by that of the right-hand side
 * @param failure reason why there is no solution, or null if the tolerance was reached
 */
public record Outcome(
        int iterations, double relativeResidual, @Nullable String failure) {
    public boolean converged() {
        return failure == null;
    }
}
