package org.segno.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.segno.bench.mpi.MpiExperiments;
import picocli.CommandLine;

/** Solves of a small system. Their speed is not checked. */
class SolverCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    @Tag("long")
    void shouldMeasureTheDemo() {
        assertThat(bench("cg", "--grid", "6", "--ranks", "2", "--runs", "1", "--warm-up", "0"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).containsPattern(" 6 +2 +Segno +\\d+( +\\d+\\.\\d\\d){4}");
    }

    @Test
    @Tag("long")
    void shouldSolveTheSameSystemWithMpiIfOneIsFound() {
        assumeFalse(MpiExperiments.description().startsWith("not "), "no usable MPI");

        // Each of these ranks has more neighbours than one of a large grid.
        assertThat(bench("cg", "--grid", "3", "--ranks", "5", "--runs", "1", "--warm-up", "0"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .containsPattern(" 3 +5 +Segno +\\d+( +\\d+\\.\\d\\d){5}")
                .containsPattern(" 3 +5 +MPI +\\d+( +\\d+\\.\\d\\d){4}");
    }

    @Test
    void shouldRefuseInvalidOptions() {
        assertThat(bench("cg", "--ranks", "2,0")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--ranks 1 to 64: [2, 0]");
        assertThat(bench("cg", "--grid", "48,1")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--grid must be 2 to 256: [48, 1]");
        assertThat(bench("cg", "--warm-up", "-1")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--warm-up must be 0 or more: -1");
    }

    private int bench(String... arguments) {
        return new CommandLine(new Bench())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }
}
