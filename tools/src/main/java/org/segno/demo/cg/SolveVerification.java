package org.segno.demo.cg;

import org.jspecify.annotations.Nullable;
import org.segno.demo.solver.Outcome;
import org.segno.tools.output.Quantity;

/**
 * Results of the checks after a solve.
 *
 * @param tolerance requested relative residual
 * @param trueResidual relative residual recomputed from the solution
 * @param referenceIterations iterations of the one-process reference, or null if the system is too large to solve it
 *     twice
 */
record SolveVerification(
        double tolerance, double trueResidual, @Nullable Integer referenceIterations) {
    /**
     * Allowed drift of the residual that the iteration updates: with an ill-conditioned matrix it differs from the true
     * one.
     */
    private static final double RESIDUAL_SLACK = 10;

    /**
     * Allowed difference in iterations: sums over ranks are rounded differently from those of one process, which adds
     * or saves a few iterations.
     */
    private static final double ITERATION_SLACK = 0.02;

    private static final int LEAST_ITERATION_SLACK = 2;

    /** Returns the error in the ranks' outcome, or null if it is correct. */
    @Nullable
    String problem(Outcome outcome) {
        if (!(trueResidual <= RESIDUAL_SLACK * tolerance)) {
            return "the true residual " + trueResidual + " exceeds the tolerance " + tolerance;
        }
        if (referenceIterations != null) {
            final double slack = Math.max(LEAST_ITERATION_SLACK, ITERATION_SLACK * referenceIterations);
            if (Math.abs(outcome.iterations() - referenceIterations) > slack) {
                return "the ranks needed " + Quantity.of(outcome.iterations(), "iteration")
                        + ", the one-process reference " + referenceIterations;
            }
        }
        return null;
    }
}
