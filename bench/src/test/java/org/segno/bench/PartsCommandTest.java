package org.segno.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Command line of {@code bench parts}; the tests beside the benchmarks check the measurements. */
class PartsCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void shouldListTheBenchmarksInWhichTheExpressionIsFound() {
        assertThat(parts("--list", "RunRing|idle")).isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "org.segno.bench.parts.EnginePassBenchmark.idle",
                        "org.segno.bench.parts.RunRingBenchmark.run",
                        "org.segno.bench.parts.RunRingBenchmark.runOfBatch");
    }

    @Test
    void shouldRefuseAWrongCommandLineAndNameTheReason() {
        assertThat(parts("no such benchmark")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(parts("(")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("REGEX matches no benchmark", "REGEX is not a regular expression");
    }

    private int parts(String... arguments) {
        final String[] all = new String[arguments.length + 1];
        all[0] = "parts";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return new CommandLine(new Bench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(all);
    }
}
