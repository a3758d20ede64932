package org.segno.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Runs with a few split PUTs. Their speed is not checked. */
class SplitCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void shouldReportTheBandwidthOfWholeAndSplitPuts() {
        assertThat(bench("split", "--repetitions", "1", "--bytes", "8388608"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString())
                .contains("whole, 1 engine ", "split, 1 engine ", "whole, 2 engines ", "split, 2 engines ")
                .containsPattern("8,388,608 +split, 2 engines +DEDICATED +2 +2 +\\d+\\.\\d\\d +GB/s +\\d+\\.\\d\\d");
    }

    @Test
    void shouldRefuseInvalidSizes() {
        assertThat(bench("split", "--bytes", "4096,0")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--bytes 1 to 1073741824").contains("[4096, 0]");
    }

    private int bench(String... arguments) {
        return new CommandLine(new Bench())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }
}
