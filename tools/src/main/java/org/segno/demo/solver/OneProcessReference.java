package org.segno.demo.solver;

import org.segno.demo.matrix.HaloPlan;
import org.segno.demo.matrix.MatrixSource;
import org.segno.demo.matrix.RowPartition;

/** Reference for the ranks' result: the same problem solved by one thread without messages. */
public final class OneProcessReference {
    /** Most entries for which a demo repeats the solve in one process. A larger one would take longer than the demo. */
    public static final long NONZERO_LIMIT = 8_000_000;

    private OneProcessReference() {}

    /** Solves the whole system on the calling thread. */
    public static Outcome solve(MatrixSource source, double tolerance, int maxIterations) {
        return solver(source).solve(tolerance, maxIterations, Ghosts.NONE, new IterationTimes(0), SolveProgress.NONE);
    }

    public static ConjugateGradients solver(MatrixSource source) {
        final RowPartition partition = RowPartition.byNonzeros(source, 1);
        return new ConjugateGradients(HaloPlan.of(source.rows(0, source.rowCount()), partition, 0), Sums.OWN);
    }
}
