package org.segno.demo.cg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.demo.halo.ThreadedJob;
import org.segno.demo.matrix.FileMatrix;
import org.segno.demo.matrix.MatrixSource;
import org.segno.demo.matrix.PoissonGrid;
import org.segno.demo.matrix.RandomMatrix;
import org.segno.demo.solver.ReferenceMatrices;
import org.segno.demo.solver.SolveProgress;

class RankSolveTest {
    private static final double TOLERANCE = 1e-8;

    @TempDir
    Path directory = Path.of("");

    @ParameterizedTest
    @CsvSource({
        "1138_bus.mtx, 936, 1",
        "1138_bus.mtx, 936, 2",
        "1138_bus.mtx, 936, 3",
        "1138_bus.mtx, 936, 4",
        "1138_bus.mtx, 936, 7",
        "poisson4009.mtx, 144, 1",
        "poisson4009.mtx, 144, 2",
        "poisson4009.mtx, 144, 3",
        "poisson4009.mtx, 144, 4",
        "poisson4009.mtx, 144, 7"
    })
    void shouldAgreeWithAnIndependentProgram(String name, int iterations, int size) throws Exception {
        final MatrixSource source = FileMatrix.read(ReferenceMatrices.find(name));

        for (final CgReport report : solve(source, size, 10_000)) {
            assertNull(report.outcome().failure());
            assertThat(report.outcome().iterations() / (double) iterations).isBetween(0.98, 1.02);
            assertEquals(report.outcome().iterations() - 1, report.replays());
            assertThat(report.withReference(TOLERANCE, 10_000).problem()).isNull();
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"1, 1", "2, 8", "6, 5", "6, 1"})
    void shouldSolveTheGeneratedProblem(int edge, int size) throws Exception {
        final List<CgReport> reports = solve(new PoissonGrid(edge), size, 1_000);

        assertThat(reports).hasSize(size).allMatch(CgReport::verified);
        assertThat(reports.stream().map(CgReport::outcome).distinct()).hasSize(1);
        assertEquals(reports.get(0).outcome().iterations() - 1L, reports.get(0).replays());
    }

    @Test
    @Tag("long")
    void shouldSolveForRanksWithoutNeighbours() throws Exception {
        final List<CgReport> reports = solve(new RandomMatrix(30, 0, 3), 3, 1_000);

        assertThat(reports).hasSize(3).allMatch(CgReport::verified);
    }

    @Test
    @Tag("long")
    void shouldReportTheFirstOfRepeatedSolves() throws Exception {
        for (final CgReport report : solve(new PoissonGrid(6), 2, 1_000, Duration.ofMillis(20))) {
            assertThat(report.verified()).isTrue();
            assertEquals(report.outcome().iterations() - 1L, report.replays());
            assertThat(report.figures().mean(Figure.SLOWEST_ITERATION_MICROS))
                    .isGreaterThanOrEqualTo(report.figures().mean(Figure.ITERATION_MICROS));
        }
    }

    @Test
    void shouldReportNoConvergenceOnEveryRank() throws Exception {
        for (final CgReport report : solve(new PoissonGrid(8), 3, 4)) {
            assertEquals("no convergence within 4 iterations", report.problem());
            assertEquals(3, report.replays());
        }
    }

    private List<CgReport> solve(MatrixSource source, int size, int maxIterations) throws Exception {
        return solve(source, size, maxIterations, Duration.ZERO);
    }

    private List<CgReport> solve(MatrixSource source, int size, int maxIterations, Duration repeated) throws Exception {
        final RankSolve[] solves = new RankSolve[size];
        Arrays.setAll(solves, rank -> RankSolve.of(source, rank, size));
        Arrays.stream(solves).forEach(solve -> solve.repeatBeforeTiming(repeated));
        final long windowBytes =
                Arrays.stream(solves).mapToLong(RankSolve::windowBytes).max().orElseThrow();
        return ThreadedJob.run(
                directory,
                size,
                windowBytes,
                node -> solves[node.rank()].run(node, TOLERANCE, maxIterations, SolveProgress.NONE));
    }
}
