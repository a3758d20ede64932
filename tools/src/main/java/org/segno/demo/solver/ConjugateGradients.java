package org.segno.demo.solver;

import java.util.Arrays;
import org.segno.demo.matrix.CsrMatrix;
import org.segno.demo.matrix.HaloPlan;
import org.segno.tools.output.Quantity;

/**
 * Solver of A·x = A·1 by conjugate gradients with a Jacobi preconditioner, starting from zero.
 *
 * <p>An object holds one rank's part of every vector. Besides the ghosts, the ranks depend on each other only through
 * two sums over all ranks in each iteration. A sum is equal to the last bit on every rank, so that all ranks take the
 * same decisions.
 *
 * <p>The iteration allocates nothing. The relative residual is the ratio of the 2-norms of residual and right-hand
 * side, without the preconditioner.
 */
public final class ConjugateGradients {
    /** Sums of each iteration: p·Ap, then r·z and r·r together. */
    public static final int SUMS_PER_ITERATION = 2;

    private final CsrMatrix matrix;
    private final Sums sums;
    private final double[] inverseDiagonal;
    private final double[] rightHandSide;
    private final double[] solution;
    private final double[] residual;
    private final double[] product;

    /** Own values and ghosts, the only vector that is multiplied. */
    private final double[] direction;

    private final double[] partialSums = new double[Sums.VALUE_COUNT];

    public ConjugateGradients(HaloPlan plan, Sums sums) {
        this.matrix = plan.matrix();
        this.sums = sums;
        final int rowCount = matrix.rowCount();
        inverseDiagonal = new double[rowCount];
        rightHandSide = new double[rowCount];
        solution = new double[rowCount];
        residual = new double[rowCount];
        product = new double[rowCount];
        direction = new double[plan.vectorLength()];
        for (int row = 0; row < rowCount; row++) {
            // Own columns come first in a local vector, so the diagonal of the block is that of the matrix.
            for (int entry = matrix.rowStart(row); entry < matrix.rowStart(row + 1); entry++) {
                if (matrix.column(entry) == row) {
                    inverseDiagonal[row] = 1 / matrix.value(entry);
                }
            }
        }
        Arrays.fill(direction, 1);
        matrix.multiply(direction, rightHandSide);
    }

    /** Iterates until the relative residual is at most {@code tolerance}. Each call starts from zero. */
    public Outcome solve(
            double tolerance, int maxIterations, Ghosts ghosts, IterationTimes times, SolveProgress progress) {
        start();
        double rz = partialSums[0];
        final double rightHandSideNorm = Math.sqrt(partialSums[1]);
        if (!isPositive(rightHandSideNorm)) {
            return new Outcome(0, 0, "the norm of the right-hand side A·1 is " + rightHandSideNorm);
        }
        double relativeResidual = 1;
        for (int iteration = 1; iteration <= maxIterations; iteration++) {
            if (!isPositive(rz)) {
                return broken(iteration, relativeResidual, "r·z", rz);
            }
            final long startNs = System.nanoTime();
            ghosts.exchange(direction);
            final long exchangedNs = System.nanoTime();
            matrix.multiply(direction, product);
            partialSums[0] = directionTimesProduct();
            partialSums[1] = 0;
            final long multipliedNs = System.nanoTime();
            sums.sum(partialSums);
            final long summedNs = System.nanoTime();
            final double curvature = partialSums[0];
            if (!isPositive(curvature)) {
                return broken(iteration, relativeResidual, "p·Ap", curvature);
            }
            step(rz / curvature);
            final long steppedNs = System.nanoTime();
            sums.sum(partialSums);
            final long reducedNs = System.nanoTime();
            turn(partialSums[0] / rz);
            rz = partialSums[0];
            relativeResidual = Math.sqrt(partialSums[1]) / rightHandSideNorm;
            final long endNs = System.nanoTime();

            final long exchangeNs = exchangedNs - startNs;
            final long reduceNs = summedNs - multipliedNs + reducedNs - steppedNs;
            times.add(endNs - startNs - exchangeNs - reduceNs, exchangeNs, reduceNs);
            progress.iterated(iteration, relativeResidual, endNs);
            if (relativeResidual <= tolerance) {
                return new Outcome(iteration, relativeResidual, null);
            }
        }
        return new Outcome(
                maxIterations, relativeResidual, "no convergence within " + Quantity.of(maxIterations, "iteration"));
    }

    /** Recomputes ‖b − A·x‖ / ‖b‖ from the solution, with ghosts exchanged by {@code ghosts}. Every rank calls this. */
    public double trueResidual(Ghosts ghosts) {
        System.arraycopy(solution, 0, direction, 0, solution.length);
        ghosts.exchange(direction);
        matrix.multiply(direction, product);
        double squares = 0;
        double rightHandSideSquares = 0;
        for (int row = 0; row < product.length; row++) {
            final double difference = rightHandSide[row] - product[row];
            squares += difference * difference;
            rightHandSideSquares += rightHandSide[row] * rightHandSide[row];
        }
        partialSums[0] = squares;
        partialSums[1] = rightHandSideSquares;
        sums.sum(partialSums);
        return Math.sqrt(partialSums[0] / partialSums[1]);
    }

    /** Returns this rank's part of the solution, valid until the next solve. */
    public double[] solution() {
        return solution;
    }

    private void start() {
        double rz = 0;
        double rr = 0;
        for (int row = 0; row < solution.length; row++) {
            solution[row] = 0;
            residual[row] = rightHandSide[row];
            direction[row] = residual[row] * inverseDiagonal[row];
            rz += residual[row] * direction[row];
            rr += residual[row] * residual[row];
        }
        partialSums[0] = rz;
        partialSums[1] = rr;
        sums.sum(partialSums);
    }

    private double directionTimesProduct() {
        double sum = 0;
        for (int row = 0; row < product.length; row++) {
            sum += direction[row] * product[row];
        }
        return sum;
    }

    /** Moves along the direction and stores this rank's share of r·z and r·r. */
    private void step(double length) {
        double rz = 0;
        double rr = 0;
        for (int row = 0; row < residual.length; row++) {
            solution[row] += length * direction[row];
            final double value = residual[row] - length * product[row];
            residual[row] = value;
            rz += value * value * inverseDiagonal[row];
            rr += value * value;
        }
        partialSums[0] = rz;
        partialSums[1] = rr;
    }

    /** Computes the next direction: the preconditioned residual, made conjugate to the last direction. */
    private void turn(double beta) {
        for (int row = 0; row < residual.length; row++) {
            direction[row] = residual[row] * inverseDiagonal[row] + beta * direction[row];
        }
    }

    private static boolean isPositive(double value) {
        return value > 0 && value < Double.POSITIVE_INFINITY;
    }

    private static Outcome broken(int iteration, double relativeResidual, String scalar, double value) {
        return new Outcome(
                iteration,
                relativeResidual,
                "breakdown in iteration " + iteration + ": " + scalar + " is " + value
                        + (value <= 0 ? ", the matrix is not positive definite" : ""));
    }
}
