package org.segno.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Runs that kill a few ranks. The delay until the others are notified is not checked. */
class DeathCommandTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    @Tag("long")
    void shouldKillEachRankInTurnAndReportTheWaitsOfTheOthers() {
        final int exitCode = bench("death", "--kills", "3", "--limit-ms", "60000", "--format", "json");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString())
                .containsPattern(row("rank 0, the hub", "INVOKER", 1) + ".*\"p50\": \\d+\\.\\d+")
                .containsPattern(row("other ranks", "INVOKER", 2) + ".*\"p99\": \\d+\\.\\d+")
                .containsPattern(row("all", "INVOKER", 3) + ".*\"max\": \\d+\\.\\d+")
                .containsPattern(row("all", "DEDICATED", 3) + ".*\"max\": \\d+\\.\\d+");
    }

    @Test
    void shouldExitWithOneWhenAWaitEndsLaterThanTheLimit() {
        final int exitCode = bench("death", "--kills", "1", "--limit-ms", "0", "--threading", "dedicated");

        assertThat(exitCode).as(err.toString()).isOne();
        assertThat(out.toString())
                .containsPattern("all +on its host +DEDICATED +1 +2 ")
                .contains("limit 0 ms: exceeded");
    }

    @Test
    @Tag("long")
    void shouldReportTheWaitsOfTheOtherHost() {
        final int exitCode = bench(
                "death",
                "--hosts",
                "2",
                "--kills",
                "2",
                "--limit-ms",
                "60000",
                "--threading",
                "invoker",
                "--format",
                "json");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString())
                .containsPattern(row("ranks that are no hub", "on the other host", 2, 4) + ".*\"p50\": \\d+\\.\\d+")
                .containsPattern(row("ranks that are no hub", "on its host", 2, 2) + ".*\"p99\": \\d+\\.\\d+");
    }

    @Test
    @Tag("long")
    void shouldReportTheWaitsForASilentHost() {
        final int exitCode = bench(
                "death",
                "--silent",
                "--kills",
                "1",
                "--limit-ms",
                "60000",
                "--threading",
                "invoker",
                "--format",
                "json");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString()).containsPattern(row("host", "on the other host", 1, 2) + ".*\"p50\": \\d{4}\\.\\d+");
    }

    @Test
    void shouldRefuseNumbersOutOfRange() {
        assertThat(bench("death", "--kills", "0")).isEqualTo(2);
        assertThat(bench("death", "--hosts", "3")).isEqualTo(2);
        assertThat(err.toString()).contains("--kills must be 1 or more", "--hosts must be 1 or 2");
    }

    private static String row(String victim, String mode, int kills) {
        return row(victim, "on its host\", \"mode\": \"" + mode, kills, 2 * kills);
    }

    private static String row(String victim, String waiters, int kills, int waits) {
        return "\"victim\": \"" + victim + "\", \"waiters\": \"" + waiters + "\", "
                + (waiters.contains("mode") ? "" : "\"mode\": \"INVOKER\", ") + "\"kills\": " + kills
                + ", \"waits\": " + waits + ", ";
    }

    private int bench(String... arguments) {
        return new CommandLine(new Bench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }
}
