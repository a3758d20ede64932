package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;
import org.segno.tools.process.CoreList;

/** Files for output, the reader of the input, variables and cores of ranks, and several programs in one job. */
final class RunPlaceTest {
    private static final String BOTH = "echo out $SEGNO_RANK; echo err $SEGNO_RANK >&2";

    @TempDir
    private Path directory = Path.of("");

    @Test
    @Tag("long")
    void shouldWriteAFileForEachRankAndStream() throws Exception {
        final Path files = directory.resolve("files");
        try (SegnoProcess segno = run("-q", "-n", "2", "--output", "dir=" + files, "--", "sh", "-c", BOTH)) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).isEmpty();
            assertThat(segno.error()).isEmpty();
        }
        assertThat(files.resolve("rank-0.out")).hasContent("out 0");
        assertThat(files.resolve("rank-0.err")).hasContent("err 0");
        assertThat(files.resolve("rank-1.out")).hasContent("out 1");
        assertThat(files.resolve("rank-1.err")).hasContent("err 1");
    }

    @Test
    @Tag("long")
    void shouldWriteBothStreamsOfARankIntoItsFileAndACopyToItsOwn() throws Exception {
        final String pattern = directory.resolve("of-%R") + ":copy";
        try (SegnoProcess segno =
                run("-q", "-n", "11", "--output", "tag,merge,file=" + pattern, "--", "sh", "-c", BOTH)) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).hasSize(22).contains("[10]<out> err 10");
            assertThat(segno.error()).isEmpty();
        }
        assertThat(directory.resolve("of-03")).hasContent("[3]<out> out 3\n[3]<out> err 3");
    }

    @Test
    @Tag("long")
    void shouldPutSecondsInFrontOfEachLine() throws Exception {
        try (SegnoProcess segno = run("-q", "-n", "1", "--output", "timestamp,tag", "--", "sh", "-c", BOTH)) {
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.output()).singleElement().asString().matches("\\d+\\.\\d{6} \\[0]<out> out 0");
            assertThat(segno.error()).matches("\\d+\\.\\d{6} \\[0]<err> err 0");
        }
    }

    @Test
    void shouldStartNothingWhenAFileCannotBeMade() throws Exception {
        Files.createFile(directory.resolve("file"));
        final String place = "dir=" + directory.resolve("file");
        try (SegnoProcess segno = run("-n", "1", "--output", place, "--", "echo", "started")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(segno.error()).contains("--output cannot write " + directory.resolve("file"));
            assertThat(segno.output()).isEmpty();
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"1, [1]<out> line", "NONE, ''"})
    void shouldGiveItsInputToTheChosenRank(String rank, String expected) throws Exception {
        try (SegnoProcess segno = run("-n", "2", "--stdin", rank, "--tag-output", "--", "cat")) {
            try (OutputStream input = segno.process().getOutputStream()) {
                input.write("line\n".getBytes(StandardCharsets.UTF_8));
            }
            assertThat(segno.exitCode()).isZero();
            assertThat(String.join("\n", segno.output())).isEqualTo(expected);
        }
    }

    @Test
    @Tag("long")
    void shouldExportVariables() throws Exception {
        final Map<String, String> environment =
                Map.of("SEGNO_DIR", directory.toString(), "PRE_A", "a", "PRE_B", "b c", "OTHER", "o");
        try (SegnoProcess segno = SegnoProcess.start(
                environment, "run", "-n", "1", "-x", "OTHER=new", "-x", "PRE_*", "--dry-run", "--", "true")) {
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.output())
                    .singleElement()
                    .asString()
                    .contains(" OTHER=new PRE_A=a PRE_B='b c' SEGNO_")
                    .contains(" SEGNO_RANK=0 ");
        }
        try (SegnoProcess segno = SegnoProcess.start(
                environment, "run", "-n", "1", "-x", "OTHER=new", "--", "sh", "-c", "echo $OTHER $PRE_A")) {
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.output()).containsExactly("new a");
        }
    }

    @Test
    void shouldRunSeveralProgramsInOneJob() throws Exception {
        final String script = "echo $SEGNO_RANK of $SEGNO_SIZE: $NAME in $(pwd -P)";
        final Path other = Files.createDirectory(directory.resolve("other")).toRealPath();
        try (SegnoProcess segno = run(
                "-q",
                "-n",
                "1",
                "-x",
                "NAME=first",
                "--wdir",
                "/",
                "--",
                "sh",
                "-c",
                script,
                ":",
                "-n",
                "2",
                "--",
                "sh",
                "-c",
                script,
                ":",
                "-n",
                "1",
                "-x",
                "NAME=last",
                "--wdir",
                other.toString(),
                "--",
                "sh",
                "-c",
                script)) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output())
                    .containsExactlyInAnyOrder(
                            "0 of 4: first in /",
                            "1 of 4: first in /",
                            "2 of 4: first in /",
                            "3 of 4: last in " + other);
        }
    }

    @Test
    void shouldReportTheCoreOfEachRankAndBindItThere() throws Exception {
        final int core = CoreList.ofThisProcess().get(0);
        try (SegnoProcess segno = run(
                "-n",
                "1",
                "--bind-to",
                "core",
                "--report-bindings",
                "--",
                "grep",
                "Cpus_allowed_list",
                "/proc/self/status")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.error()).contains("segno: rank 0 bound to core " + core);
            assertThat(segno.output()).containsExactly("Cpus_allowed_list:\t" + core);
        }
    }

    @Test
    void shouldShowThePlaceOfEachRank() throws Exception {
        try (SegnoProcess segno =
                run("-n", "1", "--display", "map", "--dry-run", "--", "true", ":", "-n", "1", "--", "false")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.error())
                    .isEqualTo("segno: rank 0 · this host, slot 0 · true · not bound\n"
                            + "segno: rank 1 · this host, slot 1 · false · not bound");
            assertThat(segno.output()).hasSize(2);
        }
    }

    @Test
    @Tag("long")
    void shouldBindOnlyTheThreadOfAnEngineAndReportIfThereIsNone() throws Exception {
        final int core = CoreList.ofThisProcess().get(0);
        final String classPath = System.getProperty("java.class.path");
        try (SegnoProcess segno =
                run("-n", "1", "--bind-to", "threads", "-cp", classPath, EngineRank.class.getName(), "DEDICATED")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactly("engine on " + core);
        }
        try (SegnoProcess segno =
                run("-n", "1", "--bind-to", "threads", "-cp", classPath, EngineRank.class.getName(), "INVOKER")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.error()).contains("rank 0 has no engine thread to bind to core " + core);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "2, --output colour -- true, '--output takes tag'",
        "2, -x NO_SUCH_VARIABLE -- true, -x NO_SUCH_VARIABLE: no such variable is set",
        "2, -n 2 --stdin 2 -- true, '--stdin must be none or a rank from 0 to 1: 2'",
        "2, --stdin all -- true, '--stdin must be none or a rank: ''all'''",
        "2, -n 1 -- true : -- true, give each part its -n",
        "2, -n 1 -- true : -n 1 --keep -- true, 'takes -n, -cp, --wdir and -x'",
        "2, -n 1 -- true : -n 1, no PROGRAM",
        "2, --jfr x -- true, are for Java programs: true is a command; set JAVA_TOOL_OPTIONS",
        "3, --java /no-such-jdk Any.java, '--java must be the home of a JDK or JRE with an executable bin/java: /no-such-jdk'",
        "3, -n 1000 --no-oversubscribe -- true, '--no-oversubscribe: 1,000 ranks on'",
        "3, -n 1000 --bind-to core -- true, '--bind-to core gives each rank a core of its own: 1,000 ranks'"
    })
    void shouldNameTheErrorAndTheRemedy(int exitCode, String arguments, String message) throws Exception {
        try (SegnoProcess segno = run(arguments.split(" "))) {
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(exitCode);
            assertThat(segno.error()).contains(message);
        }
    }

    private SegnoProcess run(String... arguments) throws Exception {
        final List<String> all = new ArrayList<>(List.of("run"));
        all.addAll(List.of(arguments));
        return SegnoProcess.start(Map.of("SEGNO_DIR", directory.toString()), all.toArray(String[]::new));
    }
}
