package org.segno.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.collective.AlgorithmTable;
import org.segno.collective.CollectiveKind;
import picocli.CommandLine;

/** Runs with a few ranks. Their speed is not checked. */
class CollectivesCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @TempDir
    Path directory = Path.of("");

    @Test
    @Tag("long")
    void shouldMeasureEachAlgorithmAndWriteTheFastest() throws Exception {
        final Path file = directory.resolve("algorithms");
        assertThat(bench("collectives", "--ranks", "3", "--runs", "1", "--only", "barrier", "--algorithms", "" + file))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .containsPattern(" 3 +barrier +0 +counters( +-?\\d+\\.\\d\\d){6} ")
                .containsPattern(" 3 +barrier +0 +dissemination +\\d+\\.\\d\\d ");
        final AlgorithmTable.Row first =
                AlgorithmTable.of(Files.readAllLines(file)).rows().get(0);
        assertThat(first.kind()).isEqualTo(CollectiveKind.BARRIER);
        assertThat(first.members()).isEqualTo(3);
    }

    @Test
    void shouldRefuseInvalidOptions() {
        assertThat(bench("collectives", "--ranks", "2,0")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--ranks 1 to 64: [2, 0]");
        assertThat(bench("collectives", "--engines", "2000")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--engines 2000 needs 16008 cores");
        assertThat(bench("collectives", "--only", "(")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--only must be a regular expression");
    }

    private int bench(String... arguments) {
        return new CommandLine(new Bench())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }
}
