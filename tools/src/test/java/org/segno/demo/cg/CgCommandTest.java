package org.segno.demo.cg;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;

/** The command with a process for each rank. */
class CgCommandTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void shouldPrintOneJsonObject() throws Exception {
        try (SegnoProcess segno = start("demo", "cg", "-n", "3", "--grid", "6", "--format", "json")) {
            assertEquals(ExitCode.DONE, segno.exitCode(), segno::error);

            assertThat(segno.output()).hasSize(1);
            final String object = segno.output().get(0);
            assertThat(object)
                    .startsWith("{\"schema\": \"segno-demo-cg-1\", \"program\": \"cg\", ")
                    .contains("\"ranks\": 3, ")
                    .contains("\"verified\": true, ")
                    .contains("\"messagesPerIteration\": 16, ");
            assertEquals(number(object, "iterations") - 1, number(object, "replays"));
            for (final String time :
                    new String[] {"iterationMicros", "exchangeMicros", "reduceMicros", "replayNanos", "injectNanos"}) {
                assertThat(number(object, time)).as(time).isPositive();
            }
            assertThat(number(object, "slowestIterationMicros"))
                    .isGreaterThanOrEqualTo(number(object, "iterationMicros"));
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    @Tag("long")
    void shouldSolveOnFourRanksByDefault() throws Exception {
        try (SegnoProcess segno = SegnoProcess.start(environment("SEGNO_GRID", "5"), "-q", "demo", "cg")) {
            assertEquals(ExitCode.DONE, segno.exitCode(), segno::error);

            assertThat(segno.output().get(0))
                    .isEqualTo("27-point Poisson 5 x 5 x 5 · 125 rows · 2,197 nonzeros · 4 ranks");
            assertThat(segno.output()).contains("verified");
            assertThat(segno.error()).isEmpty();
        }
    }

    @Test
    @Tag("long")
    void shouldAcceptItsOptionsAndThoseOfRun() throws Exception {
        try (SegnoProcess segno = start("-v", "demo", "cg", "-n", "2", "--grid=6", "--tag-output", "--timeout", "1m")) {
            assertEquals(ExitCode.DONE, segno.exitCode(), segno::error);

            assertThat(segno.output()).contains("[0]<out> verified");
            assertThat(segno.error())
                    .containsPattern("segno: job cg-[0-9a-f]{4} · 2 ranks on ")
                    .contains("segno: rank 1 is pid ");
        }
        try (SegnoProcess segno = start("demo", "cg", "-n", "2", "--dry-run", "--wdir", directory.toString())) {
            assertEquals(ExitCode.DONE, segno.exitCode(), segno::error);

            assertThat(segno.output())
                    .hasSize(2)
                    .allSatisfy(line -> assertThat(line)
                            .startsWith("cd " + directory + " && SEGNO_")
                            .contains(" SEGNO_RANK=")
                            .contains("CgRank --grid="));
        }
        try (SegnoProcess segno = start("demo", "cg", "-n", "4", "--timeout", "1us", "--kill-grace", "1us")) {
            assertEquals(ExitCode.TIMED_OUT, segno.exitCode(), segno::error);
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    @Tag("long")
    void shouldSolveWithRanksAsThreads() throws Exception {
        try (SegnoProcess segno = start("demo", "cg", "-n", "2", "--grid", "6", "--as", "threads", "--tag-output")) {
            assertEquals(ExitCode.DONE, segno.exitCode(), segno::error);
            assertThat(segno.output()).contains("[0]<out> verified");
        }
        try (SegnoProcess segno = start(
                "demo",
                "cg",
                "-n",
                "2",
                "--grid",
                "6",
                "--max-iterations",
                "3",
                "--as",
                "threads",
                "--format",
                "json")) {
            assertEquals(ExitCode.NEGATIVE_RESULT, segno.exitCode(), segno::error);
            assertThat(segno.output()).hasSize(1);
            assertThat(segno.output().get(0)).contains("\"problem\": \"no convergence within 3 iterations\"");
            assertThat(segno.error())
                    .contains("segno: no convergence within 3 iterations")
                    .doesNotContain("Exception");
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void shouldListTheDemosAndRejectAnUnknownOne() throws Exception {
        try (SegnoProcess segno = start("demo", "--help")) {
            assertEquals(ExitCode.DONE, segno.exitCode());
            assertThat(String.join("\n", segno.output()))
                    .contains("segno demo cg|fft3d|halo4d|kmeans|spikes", "conjugate gradients");
        }
        try (SegnoProcess segno = start("demo", "gc")) {
            assertEquals(ExitCode.WRONG_COMMAND_LINE, segno.exitCode());
            assertThat(segno.error()).contains("'gc'");
        }
    }

    @Test
    @Tag("long")
    void shouldEndWithOneWithoutConvergence() throws Exception {
        try (SegnoProcess segno =
                start("demo", "cg", "-n", "2", "--grid", "6", "--max-iterations", "3", "--format", "json")) {
            assertEquals(ExitCode.NEGATIVE_RESULT, segno.exitCode());

            assertThat(segno.output()).hasSize(1);
            assertThat(segno.output().get(0))
                    .contains("\"verified\": false, \"problem\": \"no convergence within 3 iterations\"");
            assertThat(segno.error()).contains("segno: no convergence within 3 iterations\n");
        }
    }

    @Test
    void shouldReportAnInvalidFileOnce() throws Exception {
        final Path file = directory.resolve("bad.mtx");
        Files.writeString(file, "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 3 4\n");

        try (SegnoProcess segno = start("demo", "cg", "--matrix", file.toString())) {
            assertEquals(ExitCode.NOT_FIT, segno.exitCode());
            assertThat(segno.error()).isEqualTo("segno: " + file + ":4: expected a column between 1 and 2, found '3'");
            assertThat(segno.output()).isEmpty();
        }
        try (SegnoProcess segno = start("demo", "cg", "--matrix", "absent.mtx")) {
            assertEquals(ExitCode.NOT_FIT, segno.exitCode());
            assertThat(segno.error()).isEqualTo("segno: absent.mtx: no such file");
        }
    }

    @Test
    @Tag("long")
    void shouldEndWithThreeWhenTheReportIsLost() throws Exception {
        for (final String format : new String[] {"table", "json"}) {
            try (SegnoProcess segno = SegnoProcess.startWithoutRoom(
                    environment("SEGNO_FORMAT", format), "demo", "cg", "-n", "1", "--grid", "4")) {
                assertEquals(ExitCode.NOT_FIT, segno.exitCode(), segno::error);
                assertThat(segno.error()).contains("the output cannot be written and is lost: No space left on device");
            }
        }
    }

    @Test
    void shouldReportTheHeapThatALargeProblemNeeds() throws Exception {
        try (SegnoProcess segno = start("demo", "cg", "-n", "1", "--grid", "1290")) {
            assertEquals(ExitCode.NOT_FIT, segno.exitCode());
            assertThat(segno.error())
                    .startsWith("segno: 27-point Poisson 1290 x 1290 x 1290 on 1 rank needs about 966.")
                    .containsPattern("use --grid \\d+ or less");
        }
    }

    @Test
    void shouldReportThatAFileNeedsMoreHeap() throws Exception {
        final Path file = directory.resolve("large.mtx");
        final StringBuilder text = new StringBuilder("%%MatrixMarket matrix coordinate real symmetric\n");
        final int rowCount = 1_000_000;
        text.append(rowCount).append(' ').append(rowCount).append(' ').append(rowCount);
        for (int row = 1; row <= rowCount; row++) {
            text.append('\n').append(row).append(' ').append(row).append(" 4");
        }
        Files.writeString(file, text);
        final Map<String, String> environment =
                Map.of("SEGNO_DIR", directory.toString(), "JAVA_TOOL_OPTIONS", "-Xmx24m");

        try (SegnoProcess segno = SegnoProcess.start(environment, "demo", "cg", "--matrix", file.toString())) {
            assertEquals(ExitCode.NOT_FIT, segno.exitCode());
            assertThat(segno.error()).contains("segno: out of memory", "JAVA_TOOL_OPTIONS=-Xmx");
        }
    }

    @Test
    void shouldPreferTheGridOfTheCommandLineToTheMatrixOfAVariable() throws Exception {
        final Map<String, String> environment =
                Map.of("SEGNO_DIR", directory.toString(), "SEGNO_MATRIX", "absent.mtx", "SEGNO_TIMEOUT", "1us");
        try (SegnoProcess segno = SegnoProcess.start(environment, "demo", "cg", "-n", "2", "--grid", "6")) {
            assertEquals(ExitCode.TIMED_OUT, segno.exitCode(), segno::error);
        }
    }

    @Test
    void shouldRejectMoreRanksThanRows() throws Exception {
        try (SegnoProcess segno = start("demo", "cg", "-n", "9", "--grid", "2")) {
            assertEquals(ExitCode.WRONG_COMMAND_LINE, segno.exitCode());
            assertThat(segno.error()).contains("every rank needs a row").contains("has 8: -n 9");
        }
    }

    private SegnoProcess start(String... arguments) throws IOException {
        return SegnoProcess.startIn(directory, arguments);
    }

    /** Returns the variables of ranks that start fast, and one more. */
    private Map<String, String> environment(String name, String value) {
        return Map.of("SEGNO_DIR", directory.toString(), "SEGNO_JAVA_OPTS", SegnoProcess.FAST_RANKS, name, value);
    }

    private static double number(String object, String name) {
        final Matcher matcher =
                Pattern.compile("\"" + name + "\": ([-+0-9.E]+)").matcher(object);
        assertThat(matcher.find()).as(name).isTrue();
        return Double.parseDouble(matcher.group(1));
    }
}
