package org.segno.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.segno.bench.experiment.Cores;
import org.segno.node.JobConfig;
import picocli.CommandLine;

/** Runs with a few waiting ranks. The amount of processor time is not checked. */
class IdleCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    @Tag("long")
    void shouldReportTheUseOfEachRankWhileAllWait() throws IOException {
        assumeTrue(Cores.allowed().size() >= 2, "the ranks wait on two cores");

        final int exitCode = bench("idle", "--ranks", "3", "--settle", "0", "--seconds", "1", "--limit", "100000");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString())
                .containsPattern("rank 0 +INVOKER +\\d+\\.\\d\\d")
                .containsPattern("rank 2 +INVOKER +\\d+\\.\\d\\d")
                .containsPattern("all +INVOKER +\\d+\\.\\d\\d")
                .containsPattern("rank 0 +DEDICATED +\\d+\\.\\d\\d")
                .contains(": held");
    }

    @Test
    @Tag("long")
    void shouldReportTheUseOfRanksThatLinksJoinAndLeaveNoFiles() throws IOException {
        assumeTrue(Cores.allowed().size() >= 2, "the ranks wait on two cores");
        final List<Path> before = directoriesOfIdleJobs();

        final int exitCode = bench(
                "idle",
                "--transport",
                "aeron",
                "--ranks",
                "3",
                "--settle",
                "0",
                "--seconds",
                "1",
                "--limit",
                "100000",
                "--threading",
                "INVOKER");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString()).contains("transport aeron").containsPattern("rank 2 +INVOKER +\\d+\\.\\d\\d");
        // Concurrent runs of other processes may end meanwhile.
        assertThat(before).containsAll(directoriesOfIdleJobs());
    }

    private static List<Path> directoriesOfIdleJobs() throws IOException {
        final Path memory = JobConfig.of("idle", 0, 1).directory();
        try (Stream<Path> files = Files.list(memory)) {
            return files.filter(file -> file.getFileName().toString().contains("-idle-"))
                    .toList();
        }
    }

    @Test
    void shouldRefuseRanksThatHaveACoreEach() {
        assertThat(bench("idle", "--ranks", "2")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--ranks must be above 2");
    }

    private int bench(String... arguments) {
        return new CommandLine(new Bench())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }
}
