package org.segno.tools.demo.cg;

import org.jspecify.annotations.Nullable;
import org.segno.tools.demo.solver.Outcome;
import org.segno.tools.output.Quantity;

/**
 * What was checked after a solve.
 *
 * @param tolerance relative residual that was asked for.
 * @param trueResidual relative residual computed afresh from the solution.
 * @param referenceIterations iterations of the one-process reference, or null where the system is too large to solve it twice.
 */
record Verification(
        double tolerance, double trueResidual, @Nullable Integer referenceIterations) {
    /** The residual carried along drifts from the true one where the matrix is ill-conditioned. */
    private static final double RESIDUAL_SLACK = 10;

    /** Sums over ranks are rounded otherwise than those of one process, which costs or saves a few iterations. */
    private static final double ITERATION_SLACK = 0.02;

    private static final int LEAST_ITERATION_SLACK = 2;

    /** What is wrong with the outcome of the ranks, or null when all is well. */
    @Nullable
    String complaint(Outcome outcome) {
        if (!(trueResidual <= RESIDUAL_SLACK * tolerance)) {
            return "the true residual " + trueResidual + " misses the tolerance " + tolerance;
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
