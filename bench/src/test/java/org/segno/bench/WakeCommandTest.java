package org.segno.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Runs with few messages. Their latency is not checked. */
class WakeCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    @Tag("long")
    void shouldReportTheTimeToWakeByStrategyAndThreading() {
        final int exitCode =
                bench("wake", "--idle", "park,yield", "--warm-up", "50", "--messages", "20", "--parked-ms", "3");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString())
                .containsPattern("park +INVOKER +\\d+\\.\\d")
                .containsPattern("yield +INVOKER +\\d+\\.\\d")
                .containsPattern("yield +DEDICATED +\\d+\\.\\d")
                .containsPattern("bare pipe +- +\\d+\\.\\d");
    }

    @Test
    void shouldRefuseRunsWithoutAMessage() {
        assertThat(bench("wake", "--messages", "0")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--warm-up, --messages and --parked-ms must be 1 or more");
    }

    private int bench(String... arguments) {
        return new CommandLine(new Bench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }
}
