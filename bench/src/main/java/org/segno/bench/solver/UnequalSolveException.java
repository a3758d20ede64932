package org.segno.bench.solver;

/** Report that two programs have not solved the same problem, so that their times cannot be compared. */
final class UnequalSolveException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnequalSolveException(String message) {
        super(message);
    }
}
