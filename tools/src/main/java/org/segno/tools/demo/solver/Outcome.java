package org.segno.tools.demo.solver;

import org.jspecify.annotations.Nullable;

/**
 * How a solve ended.
 *
 * @param iterations iterations begun; the last one is incomplete after a breakdown.
 * @param relativeResidual norm of the residual carried along, divided by that of the right-hand side.
 * @param failure why there is no solution, or null when the tolerance was reached.
 */
public record Outcome(
        int iterations, double relativeResidual, @Nullable String failure) {
    public boolean converged() {
        return failure == null;
    }
}
