package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;

/** Input, output, variables and directories of ranks. */
final class RunOutputTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void shouldPassOutputAndErrorUntouched() throws Exception {
        try (SegnoProcess segno = start("-q", "run", "-n", "1", "--", "sh", "-c", "echo data; echo talk >&2")) {
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.output()).containsExactly("data");
            assertThat(segno.error()).isEqualTo("talk");
        }
    }

    @Test
    void shouldTagEachLineWithRankAndStream() throws Exception {
        final String script = "echo a; printf b; echo c >&2";
        try (SegnoProcess segno = start("run", "-q", "-n", "2", "--output", "TAG", "--", "sh", "-c", script)) {
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.output())
                    .containsExactlyInAnyOrder("[0]<out> a", "[0]<out> b", "[1]<out> a", "[1]<out> b");
            assertThat(segno.error().lines()).containsExactlyInAnyOrder("[0]<err> c", "[1]<err> c");
        }
    }

    /** The transport decides which ranks reach each other, so its name is in the first line. */
    @ParameterizedTest
    @Tag("long")
    @CsvSource({"'', shm", "process, process", "'process,shm', 'process,shm'"})
    void shouldNameTheTransportInItsFirstLine(String chosen, String named) throws Exception {
        final Map<String, String> environment = chosen.isEmpty() ? Map.of() : Map.of("SEGNO_TRANSPORT", chosen);
        final Map<String, String> variables = new HashMap<>(environment);
        variables.put("SEGNO_DIR", directory.toString());
        for (final boolean isOption : new boolean[] {false, true}) {
            final List<String> command = new ArrayList<>(List.of("run", "-n", "2"));
            if (isOption && !chosen.isEmpty()) {
                command.addAll(List.of("--transport", chosen));
            }
            command.addAll(List.of("--", "true"));
            try (SegnoProcess segno = SegnoProcess.start(
                    isOption ? Map.of("SEGNO_DIR", directory.toString()) : variables, command.toArray(String[]::new))) {
                assertThat(segno.exitCode()).as(segno.error()).isZero();
                assertThat(segno.error().lines().findFirst().orElse(""))
                        .matches("segno: job \\S+ · 2 ranks on \\d+ cores?[^·]* · " + named
                                + " · .* and windows, of .*");
            }
        }
    }

    @Test
    void shouldKeepConcurrentLinesWholeAndTheLastLinesOfATerminatedRank() throws Exception {
        final String script = """
            trap 'echo last; exit 0' TERM
            for i in 1 2 3 4 5 6 7 8; do echo $i $(printf %05000d 0); done
            echo ready >&2
            while :; do sleep 0.01; done
            """;
        try (SegnoProcess segno = start("run", "-n", "4", "--tag-output", "--", "sh", "-c", script)) {
            SegnoProcess.await(() -> segno.error().split("ready", -1).length == 5, "four ranks ready");
            segno.signal("TERM");
            assertThat(segno.exitCode()).isEqualTo(143);
            assertThat(segno.output())
                    .hasSize(4 * 9)
                    .allMatch(line -> line.matches("\\[[0-3]]<out> (\\d 0{5000}|last)"));
        }
    }

    @Test
    @Tag("long")
    void shouldKeepLinesOfSeveralRanksWholeWithoutTagsToo() throws Exception {
        final String script = """
            for i in 1 2 3 4 5 6 7 8 9; do
                printf "<$SEGNO_RANK $i "; printf '(' >&2; sleep 0.003; echo "$SEGNO_RANK $i>"; echo ')' >&2
            done
            printf "dies $SEGNO_RANK"
            """;
        try (SegnoProcess segno = start("-q", "run", "-n", "4", "--", "sh", "-c", script)) {
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.output()).hasSize(4 * 10).allMatch(line -> line.matches("<([0-3] \\d) \\1>|dies [0-3]"));
            assertThat(segno.error().lines()).hasSize(4 * 9).allMatch("()"::equals);
        }
    }

    @Test
    void shouldGiveItsInputToRankZeroAlone() throws Exception {
        try (SegnoProcess segno = start("run", "-n", "2", "--tag-output", "--", "cat")) {
            try (OutputStream input = segno.process().getOutputStream()) {
                input.write("for zero\n".getBytes(StandardCharsets.UTF_8));
            }
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.output()).containsExactly("[0]<out> for zero");
        }
    }

    @Test
    void shouldPassEachRankItsPlaceInVariables() throws Exception {
        final String script =
                "echo $SEGNO_RANK of $SEGNO_SIZE, $SEGNO_LOCAL_RANK of $SEGNO_LOCAL_SIZE, $SEGNO_DIR, $SEGNO_JOB";
        try (SegnoProcess segno =
                start("run", "-n", "2", "--start-timeout", "7s", "--tag-output", "--", "sh", "-c", script)) {
            assertThat(segno.exitCode()).isZero();
            final String jobs = segno.output().stream()
                    .map(line -> line.replaceFirst(".*, ", ""))
                    .distinct()
                    .collect(Collectors.joining(" "));
            assertThat(jobs).matches("sh-[0-9a-f]{16}");
            assertThat(segno.output())
                    .containsExactlyInAnyOrder(
                            "[0]<out> 0 of 2, 0 of 2, " + directory + ", " + jobs,
                            "[1]<out> 1 of 2, 1 of 2, " + directory + ", " + jobs);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "'', 32 16384",
        "--immediate-limit 0 --eager-limit 8k, 0 8192",
        "--config settings, 32 1024",
        "--config settings --eager-limit 7, 32 7",
        "--eager-limit 8k -x SEGNO_EAGER_LIMIT=5, 32 5",
    })
    void shouldPassTheLimitsOfImmediateAndEagerMessagesToRanks(String options, String limits) throws Exception {
        final Path settings = Files.writeString(directory.resolve("settings"), "eager-limit = 1k\n");
        final List<String> words = new ArrayList<>(List.of("run", "-n", "1"));
        for (final String word : options.isEmpty() ? new String[0] : options.split(" ")) {
            words.add(word.equals("settings") ? settings.toString() : word);
        }
        words.addAll(List.of("--", "sh", "-c", "echo $SEGNO_IMMEDIATE_LIMIT $SEGNO_EAGER_LIMIT"));
        try (SegnoProcess segno = start(words.toArray(String[]::new))) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactly(limits);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "--idle Busy-Spin --threading SHARED, busy-spin shared",
        "--config settings, yield",
        "--fifo-slots 64 --window-bytes 1M --contexts 2, 64 1m 2",
        "--idle yield -x SEGNO_IDLE=backoff, backoff",
    })
    void shouldPassTheSettingsOfNodesToRanks(String options, String values) throws Exception {
        final Path settings = Files.writeString(directory.resolve("settings"), "idle = yield\n");
        final List<String> words = new ArrayList<>(List.of("run", "-n", "1"));
        for (final String word : options.split(" ", -1)) {
            words.add(word.equals("settings") ? settings.toString() : word);
        }
        final String script = "echo $SEGNO_IDLE $SEGNO_THREADING $SEGNO_FIFO_SLOTS $SEGNO_WINDOW_BYTES $SEGNO_CONTEXTS";
        words.addAll(List.of("--", "sh", "-c", script));
        try (SegnoProcess segno = start(words.toArray(String[]::new))) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactly(values);
        }
    }

    @Test
    void shouldRefuseAnInvalidSettingOfNodes() throws Exception {
        try (SegnoProcess segno = start("run", "--idle", "spin", "--", "true")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
            assertThat(segno.error()).contains("--idle: 'spin' is none of default, busy-spin, yield, backoff, park");
        }
    }

    @Test
    @Tag("long")
    void shouldStartRanksInTheChosenWorkingDirectory() throws Exception {
        try (SegnoProcess segno = start("run", "-n", "1", "--wdir", directory.toString(), "--", "pwd", "-P")) {
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.output()).containsExactly(directory.toRealPath().toString());
        }
    }

    @Test
    void shouldRunASingleSourceFileWithSegnoOnItsClassPathAndTheFlag() throws Exception {
        Files.writeString(directory.resolve("Probe.java"), """
            import org.segno.node.JobConfig;

            class Probe {
                public static void main(String[] args) {
                    final boolean open = Object.class.getModule().isExported("jdk.internal.misc", Probe.class.getModule());
                    System.out.println(JobConfig.fromEnvironment().size() + " " + open + " " + String.join("+", args));
                }
            }
            """);
        try (SegnoProcess segno =
                start("run", "-n", "1", "--wdir", directory.toString(), "Probe.java", "-n", "--", "x")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactly("1 true -n+--+x");
        }
    }

    @Test
    @Tag("long")
    void shouldReportTheCompilerErrorOfASourceFileAndStartNothing() throws Exception {
        Files.writeString(directory.resolve("Wrong.java"), "class Wrong { int count() { return many; } }");
        try (SegnoProcess segno = start("run", "-n", "3", "--wdir", directory.toString(), "Wrong.java")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(segno.error())
                    .contains("Wrong.java:1: error: cannot find symbol")
                    .containsOnlyOnce("does not compile");
        }
    }

    @Test
    void shouldPrintTheCommandsAndStartNothing() throws Exception {
        try (SegnoProcess segno = start(
                "run", "-n", "2", "--dry-run", "--wdir", directory.toString(), "--", "sh", "-c", "echo it's $HOME")) {
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.output().stream().map(line -> line.replaceAll("=sh-[0-9a-f]{16}", "=sh-HEX")))
                    .containsExactly(dryRun(0), dryRun(1));
            assertThat(directory).isEmptyDirectory();
        }
    }

    private String dryRun(int rank) {
        return "cd " + directory + " && SEGNO_IMMEDIATE_LIMIT=32 SEGNO_EAGER_LIMIT=16384 SEGNO_RANK=" + rank
                + " SEGNO_SIZE=2 SEGNO_LOCAL_RANK=" + rank
                + " SEGNO_LOCAL_SIZE=2 SEGNO_JOB=sh-HEX SEGNO_DIR=" + directory
                + " SEGNO_START_TIMEOUT=30s SEGNO_KEEP=false SEGNO_LAUNCHED=false sh -c 'echo it'\\''s $HOME'";
    }

    @Test
    void shouldWarnAboutAVariableThatMeansNothing() throws Exception {
        try (SegnoProcess segno = SegnoProcess.start(Map.of("SEGNO_KEEEP", "1"), "run", "--dry-run", "--", "true")) {
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.error())
                    .isEqualTo("segno: variable SEGNO_KEEEP is not used by segno, did you mean SEGNO_KEEP?");
        }
    }

    @Test
    @Tag("long")
    void shouldWarnAboutAnExportedVariableThatMeansNothing() throws Exception {
        try (SegnoProcess segno = start("run", "-x", "SEGNO_IDEL=yield", "--dry-run", "--", "true")) {
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.error())
                    .isEqualTo("segno: variable SEGNO_IDEL is not used by segno, did you mean SEGNO_IDLE?");
        }
    }

    @Test
    @Tag("long")
    void shouldEndTheJobWhenNobodyReadsItsOutput() throws Exception {
        final String script = "while echo line; do :; done";
        try (SegnoProcess segno = start("run", "-n", "2", "--tag-output", "--", "sh", "-c", script)) {
            segno.awaitOutput(1);
            segno.process().getInputStream().close();
            assertThat(segno.process().waitFor()).isEqualTo(141);
        }
    }

    @Test
    @Tag("long")
    void shouldEndWithThreeWhenItsOutputHasNoRoomAlsoForTheLastLine() throws Exception {
        final Map<String, String> environment = Map.of("SEGNO_DIR", directory.toString());
        for (final String script : new String[] {"echo line", "while echo line; do :; done"}) {
            try (SegnoProcess segno = SegnoProcess.startWithoutRoom(
                    environment, "run", "-n", "1", "--tag-output", "--", "sh", "-c", script)) {
                assertThat(segno.exitCode()).as(segno.error()).isEqualTo(ExitCode.NOT_FIT);
                assertThat(segno.error()).contains("cannot be written and is lost: No space left on device");
            }
        }
    }

    @Test
    @Tag("long")
    void shouldRunASourceFileWithAPublicFirstClassOfAnotherName() throws Exception {
        Files.writeString(directory.resolve("No.java"), """
            public class Other {
                public static void main(String[] args) {
                    System.out.println(Other.class.getName());
                }
            }
            """);
        try (SegnoProcess segno = start("run", "-n", "1", "--wdir", directory.toString(), "No.java")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactly("Other");
        }
    }

    @Test
    @Tag("long")
    void shouldRunTheFirstClassOfASourceFileInAPackage() throws Exception {
        Files.writeString(directory.resolve("Packed.java"), """
            package org.example;

            public class Packed {
                public static void main(String[] args) {
                    System.out.println(Packed.class.getName());
                }
            }
            """);
        try (SegnoProcess segno = start("run", "-n", "1", "--wdir", directory.toString(), "Packed.java")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactly("org.example.Packed");
        }
    }

    private SegnoProcess start(String... arguments) throws Exception {
        return SegnoProcess.start(Map.of("SEGNO_DIR", directory.toString()), arguments);
    }
}
