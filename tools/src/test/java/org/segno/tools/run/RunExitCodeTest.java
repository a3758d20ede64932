package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

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

/** Table of exit codes, line by line. */
final class RunExitCodeTest {
    @TempDir
    private Path parent = Path.of("");

    @Test
    void shouldEndWithZeroWhenAllRanksDoAndReportIt() throws Exception {
        try (SegnoProcess segno = run("-n", "3", "--", "true")) {
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.error())
                    .containsPattern("segno: job true-[0-9a-f]{4} · 3 ranks on \\d+ cores?.* · shm · "
                            + "\\d+\\.\\d MiB and windows, of \\d+\\.\\d [MG]iB in " + parent)
                    .containsPattern("segno: 3 ranks ended with 0 in \\d+\\.\\d\\d s");
            assertThat(segno.output()).isEmpty();
        }
    }

    @Test
    @Tag("long")
    void shouldReportTheMemoryOfMoreRanksThanTheDefaultLanesHaveRoomFor() throws Exception {
        try (SegnoProcess segno = run("-n", "300", "--", "true")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.error())
                    .containsPattern("300 ranks .* · shm · (\\d{3}\\.\\d MiB|1\\.\\d GiB) and windows");
        }
    }

    @Test
    void shouldEndWithTheStatusOfTheRankThatFailedFirstInTime() throws Exception {
        // Rank 2 fails; the others fail because TERM ends them, one of them with a status of its own.
        final String script = """
            case $SEGNO_RANK in
            0) trap 'exit 9' TERM; echo ready; while :; do sleep 0.01; done;;
            1) echo ready; exec sleep 30;;
            2) read line < go; exit 3;;
            esac
            """;
        pipe("go");
        try (SegnoProcess segno = run("-n", "3", "--wdir", parent.toString(), "--", "sh", "-c", script)) {
            segno.awaitOutput(2);
            Files.writeString(parent.resolve("go"), "go\n");
            assertThat(segno.exitCode()).isEqualTo(3);
            assertThat(segno.error())
                    .containsPattern("segno: rank 2 \\(pid \\d+\\) ended with 3 after \\d+\\.\\d\\d s: first to fail\n")
                    .containsPattern("segno: TERM to 2 ranks, all gone in \\d+\\.\\d\\d s, none needed KILL"
                            + " · job directory removed \\(--keep to inspect\\)");
        }
    }

    @Test
    void shouldLetTheOthersGoOnAfterARankHasFailed() throws Exception {
        final String script = """
            case $SEGNO_RANK in
            0) read line < go; echo done;;
            1) kill -9 $$;;
            esac
            """;
        pipe("go");
        try (SegnoProcess segno =
                run("-n", "3", "--keep-going", "--wdir", parent.toString(), "--", "sh", "-c", script)) {
            segno.awaitError("the others go on");
            Files.writeString(parent.resolve("go"), "go\n");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 9);
            assertThat(segno.output()).containsExactly("done");
            assertThat(segno.error())
                    .containsPattern(
                            "rank 1 \\(pid \\d+\\) ended with 137 \\(signal 9, KILL\\) after .*; the others go on")
                    .containsPattern("segno: 2 of 3 ranks ended with 0 in ")
                    .doesNotContain("TERM to");
        }
    }

    @Test
    @Tag("long")
    void shouldEndWithTheSignalThatEndedTheFirstRankAndKillRanksThatIgnoreTerm() throws Exception {
        final String script = """
            if [ $SEGNO_RANK = 1 ]; then read line < go; kill -9 $$; fi
            trap '' TERM; echo ready; while :; do sleep 0.01; done
            """;
        pipe("go");
        try (SegnoProcess segno =
                run("-n", "2", "--kill-grace", "100ms", "--wdir", parent.toString(), "--", "sh", "-c", script)) {
            segno.awaitOutput(1);
            Files.writeString(parent.resolve("go"), "go\n");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 9);
            assertThat(segno.error()).contains("ended with 137 (signal 9, KILL)", "TERM to 1 rank", "1 needed KILL");
        }
    }

    @Test
    void shouldEndTheJobWhenItsTimeIsOver() throws Exception {
        try (SegnoProcess segno = run("--timeout", "100ms", "-n", "2", "--", "sh", "-c", "echo $$; exec sleep 30")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.TIMED_OUT);
            assertThat(segno.error()).contains("--timeout 100ms reached", "TERM to 2 ranks");
            segno.output().forEach(pid -> SegnoProcess.awaitGone(Long.parseLong(pid)));
        }
    }

    @Test
    @Tag("long")
    void shouldTakeTheTimeoutFromTheVariablesToo() throws Exception {
        for (final String[] variable : new String[][] {{"SEGNO_TIMEOUT", "100ms"}, {"MPIEXEC_TIMEOUT", "1"}}) {
            final Map<String, String> environment = Map.of("SEGNO_DIR", parent.toString(), variable[0], variable[1]);
            try (SegnoProcess segno = SegnoProcess.start(environment, "run", "--", "sleep", "30")) {
                assertThat(segno.exitCode()).isEqualTo(ExitCode.TIMED_OUT);
            }
        }
    }

    @Test
    @Tag("long")
    void shouldTakeATimeoutOfZeroAsNone() throws Exception {
        final Map<String, String> environment = Map.of("SEGNO_DIR", parent.toString(), "SEGNO_TIMEOUT", "1us");
        try (SegnoProcess segno = SegnoProcess.start(environment, "run", "--timeout", "0s", "--", "true")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "MPIEXEC_TIMEOUT, abc, variable MPIEXEC_TIMEOUT: 'abc' is not a number of seconds up to 3153600000",
        "SEGNO_TIMEOUT, 99, variable SEGNO_TIMEOUT: '99' is not a time: give a number with a unit",
        "SEGNO_TIMEOUT, 9999999999h, variable SEGNO_TIMEOUT: '9999999999h' is too long: a time is at most 876000h",
        "SEGNO_START_TIMEOUT, 0s, at most 8760h: 0ns (set by variable SEGNO_START_TIMEOUT=0s)",
        "SEGNO_EAGER_LIMIT, 8kb, 'variable SEGNO_EAGER_LIMIT: ''8kb'' is not a number of bytes, as 64, 8k, 1m or 2g are'",
        "SEGNO_IMMEDIATE_LIMIT, 1k, '--immediate-limit must be 0 to 32: 1024 (set by variable SEGNO_IMMEDIATE_LIMIT=1k)'",
        "SEGNO_NP, 0, '-n must be from 1 to 1024: 0 (set by variable SEGNO_NP=0)'"
    })
    void shouldNameAVariableWithAWrongValue(String name, String value, String message) throws Exception {
        final Map<String, String> environment = Map.of("SEGNO_DIR", parent.toString(), name, value);
        try (SegnoProcess segno = SegnoProcess.start(environment, "run", "--", "true")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
            assertThat(segno.error()).contains(message);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "127, no-such-program, not found: no-such-program",
        "127, ./here/no-such-program, not found: ./here/no-such-program",
        "126, ./plain, not executable: ./plain",
        "126, ., not executable: ."
    })
    void shouldDistinguishAMissingProgramFromOneThatCannotBeExecuted(int exitCode, String program, String message)
            throws Exception {
        Files.createFile(parent.resolve("plain"));
        try (SegnoProcess segno = run("--wdir", parent.toString(), "--", program)) {
            assertThat(segno.exitCode()).isEqualTo(exitCode);
            assertThat(segno.error()).contains(message);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "2, sleep 1, put '--' before a command",
        "2, -n 0 -- true, '-n must be from 1 to 1024: 0'",
        "2, -n 2, no PROGRAM",
        "2, --timeout 3 -- true, '3' is not a time",
        "2, --start-timeout 0s -- true, '--start-timeout must be above zero and at most 8760h: 0ns'",
        "2, --start-timeout 9000h -- true, '--start-timeout must be above zero and at most 8760h: 9000h'",
        "2, --eager-limit many -- true, '''many'' is not a number of bytes'",
        "2, --immediate-limit 33 -- true, '--immediate-limit must be 0 to 32: 33'",
        "3, --wdir ./no-such-place -- true, no-such-place",
        "127, missing.jar, not found: missing.jar",
        "127, Missing.java, not found: Missing.java"
    })
    void shouldNameTheErrorAndTheRemedy(int exitCode, String arguments, String message) throws Exception {
        try (SegnoProcess segno = run(arguments.split(" "))) {
            assertThat(segno.exitCode()).isEqualTo(exitCode);
            assertThat(segno.error()).contains(message);
        }
    }

    private SegnoProcess run(String... arguments) throws Exception {
        final List<String> all = new ArrayList<>(List.of("run"));
        all.addAll(List.of(arguments));
        return SegnoProcess.start(Map.of("SEGNO_DIR", parent.toString()), all.toArray(String[]::new));
    }

    /** Makes a named pipe: its reader waits until the test writes. */
    private void pipe(String name) throws Exception {
        final String path = parent.resolve(name).toString();
        assertThat(new ProcessBuilder("mkfifo", path).inheritIO().start().waitFor())
                .isZero();
    }
}
