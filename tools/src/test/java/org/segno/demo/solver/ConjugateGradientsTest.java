package org.segno.demo.solver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.demo.matrix.FileMatrix;
import org.segno.demo.matrix.HaloPlan;
import org.segno.demo.matrix.MatrixSource;
import org.segno.demo.matrix.PoissonGrid;
import org.segno.demo.matrix.RandomMatrix;
import org.segno.demo.matrix.RowPartition;

class ConjugateGradientsTest {
    private static final double TOLERANCE = 1e-8;

    @TempDir
    Path directory = Path.of("");

    @ParameterizedTest
    @CsvSource({"1138_bus.mtx, 936", "poisson4009.mtx, 144"})
    void shouldNeedAsManyIterationsAsAnIndependentProgram(String name, int iterations) throws IOException {
        final MatrixSource source = FileMatrix.read(ReferenceMatrices.find(name));
        final ConjugateGradients solver = OneProcessReference.solver(source);

        final Outcome outcome = solve(solver, 10_000);

        assertNull(outcome.failure());
        assertThat(outcome.iterations() / (double) iterations).isBetween(0.98, 1.02);
        assertThat(outcome.relativeResidual()).isPositive().isLessThanOrEqualTo(TOLERANCE);
        assertThat(solver.trueResidual(Ghosts.NONE)).isLessThanOrEqualTo(10 * TOLERANCE);
    }

    @ParameterizedTest
    @CsvSource({"1138_bus.mtx, 936", "poisson4009.mtx, 144"})
    void shouldNeedAsManyIterationsOnSeveralRanks(String name, int iterations) throws Exception {
        final MatrixSource source = FileMatrix.read(ReferenceMatrices.find(name));
        for (final int rankCount : new int[] {2, 3, 4, 7}) {
            for (final Outcome outcome : solveOnRanks(source, rankCount)) {
                assertNull(outcome.failure());
                assertThat(outcome.iterations() / (double) iterations)
                        .as("%d ranks", rankCount)
                        .isBetween(0.98, 1.02);
            }
        }
    }

    @Test
    void shouldFindOnesAsTheSolution() {
        final ConjugateGradients solver = OneProcessReference.solver(new RandomMatrix(200, 8, 7));

        assertTrue(solve(solver, 1_000).converged());

        final double[] ones = new double[200];
        Arrays.fill(ones, 1);
        assertArrayEquals(ones, solver.solution(), 1e-5);
    }

    @Test
    void shouldSolveTheGeneratedProblemAgainFromTheStart() {
        final ConjugateGradients solver = OneProcessReference.solver(new PoissonGrid(12));

        final Outcome first = solve(solver, 1_000);

        assertTrue(first.converged());
        assertEquals(first, solve(solver, 1_000));
        assertThat(solver.trueResidual(Ghosts.NONE)).isLessThanOrEqualTo(2 * TOLERANCE);
    }

    @Test
    void shouldReportThatIterationsDoNotSuffice() {
        final Outcome outcome = solve(OneProcessReference.solver(new PoissonGrid(12)), 3);

        assertEquals("no convergence within 3 iterations", outcome.failure());
        assertEquals(3, outcome.iterations());
        assertThat(outcome.relativeResidual()).isGreaterThan(TOLERANCE);
    }

    @Test
    void shouldBreakDownWhenTheMatrixIsNotPositiveDefinite() throws IOException {
        final Outcome indefinite = solve(OneProcessReference.solver(symmetric("2 2 3\n1 1 1\n2 1 3\n2 2 2\n")), 100);
        assertThat(indefinite.failure()).startsWith("breakdown in iteration ").endsWith("not positive definite");

        final Outcome negative = solve(OneProcessReference.solver(symmetric("1 1 1\n1 1 -1\n")), 100);
        assertThat(negative.failure()).startsWith("breakdown in iteration 1: r·z is -1.0");
    }

    @Test
    void shouldBreakDownWhenNumbersOverflow() throws IOException {
        final Outcome outcome = solve(OneProcessReference.solver(symmetric("2 2 3\n1 1 1e200\n2 1 1\n2 2 1\n")), 100);
        assertThat(outcome.failure()).isEqualTo("the norm of the right-hand side A·1 is Infinity");
    }

    @Test
    void shouldRejectARightHandSideOfZero() throws IOException {
        final Outcome outcome = solve(OneProcessReference.solver(symmetric("2 2 3\n1 1 1\n2 1 -1\n2 2 1\n")), 100);
        assertThat(outcome.failure()).isEqualTo("the norm of the right-hand side A·1 is 0.0");
    }

    private MatrixSource symmetric(String text) throws IOException {
        final Path file = directory.resolve("matrix.mtx");
        Files.writeString(file, "%%MatrixMarket matrix coordinate real symmetric\n" + text);
        return FileMatrix.read(file);
    }

    private static Outcome solve(ConjugateGradients solver, int maxIterations) {
        return solver.solve(TOLERANCE, maxIterations, Ghosts.NONE, new IterationTimes(0), SolveProgress.NONE);
    }

    private static List<Outcome> solveOnRanks(MatrixSource source, int rankCount) throws Exception {
        final RowPartition partition = RowPartition.byNonzeros(source, rankCount);
        final HaloPlan[] plans = new HaloPlan[rankCount];
        Arrays.setAll(
                plans, rank -> HaloPlan.of(source.rows(partition.first(rank), partition.end(rank)), partition, rank));
        final HeapJob job = new HeapJob(plans);
        final ExecutorService ranks = Executors.newFixedThreadPool(rankCount);
        try {
            final Outcome[] outcomes = new Outcome[rankCount];
            final Future<?>[] running = new Future<?>[rankCount];
            Arrays.setAll(
                    running,
                    rank -> ranks.submit(() -> {
                        final ConjugateGradients solver = new ConjugateGradients(plans[rank], job.sums(rank));
                        outcomes[rank] = solver.solve(
                                TOLERANCE, 10_000, job.ghosts(rank), new IterationTimes(0), SolveProgress.NONE);
                    }));
            for (final Future<?> rank : running) {
                rank.get();
            }
            return List.of(outcomes);
        } finally {
            ranks.shutdownNow();
        }
    }
}
