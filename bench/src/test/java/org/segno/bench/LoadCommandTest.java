package org.segno.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.segno.bench.experiment.Cores;
import picocli.CommandLine;

/** Runs with few steps. Their number is not checked. */
class LoadCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    @Tag("long")
    void shouldReportTheStepsOfEachStrategyAloneAndBesideOtherProcesses() throws IOException {
        assumeTrue(Cores.allowed().size() >= 2, "the ranks have a core each");

        final int exitCode = bench("load", "--idle", "default,backoff", "--runs", "1", "--seconds", "0.05");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString())
                .containsPattern("alone +default +INVOKER +\\d+\\.\\d")
                .containsPattern("alone +default +DEDICATED +\\d+\\.\\d")
                .containsPattern("alone +backoff +INVOKER +\\d+\\.\\d")
                .containsPattern("one busy process per core +default +INVOKER +\\d+\\.\\d")
                .containsPattern("one busy process per core +backoff +DEDICATED +\\d+\\.\\d");
    }

    @Test
    void shouldRefuseRunsWithoutALength() {
        assertThat(bench("load", "--seconds", "0")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--seconds must be above 0");
    }

    private int bench(String... arguments) {
        return new CommandLine(new Bench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }
}
