package org.segno.bench.solver;

/** Exception for two programs whose times cannot be compared, because they have not solved the same problem. */
final class UnequalSolveException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnequalSolveException(String message) {
        super(message);
    }
}
