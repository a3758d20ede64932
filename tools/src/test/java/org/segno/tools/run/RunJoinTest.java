package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;
import org.segno.tools.process.ShellWords;
import org.segno.tools.program.Java;
import org.segno.tools.program.Program;

/** Ranks that join their job, under the real launcher: after any death, nothing is left behind. */
final class RunJoinTest {
    @TempDir
    private Path parent = Path.of("");

    @Test
    void shouldLetRanksJoinAndLeave() throws Exception {
        try (SegnoProcess segno = start("-n", "3", "-cp", classPath(), JoiningRank.class.getName(), "leave")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).hasSize(3);
            assertThat(parent).isEmptyDirectory();
        }
    }

    @Test
    @Tag("long")
    void shouldLeaveNothingInTheParentAfterAllHaveJoined() throws Exception {
        try (SegnoProcess segno = start("-n", "2", "-cp", classPath(), JoiningRank.class.getName(), "wait")) {
            segno.awaitOutput(2);
            assertThat(parent).isEmptyDirectory();
            segno.signal("TERM");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 15);
        }
    }

    @Test
    @Tag("long")
    void shouldEndWithTheSignalThatKilledARankAndNotWithTheStatusOfItsPeers() throws Exception {
        try (SegnoProcess segno = start("-n", "3", "-cp", classPath(), JoiningRank.class.getName(), "wait")) {
            final List<String> pids = segno.awaitOutput(3);
            kill(pids.get(0));
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 9);
            assertThat(segno.error())
                    .containsPattern("rank \\d \\(pid " + pids.get(0) + "\\) ended with 137 .*: first to fail\n");
            pids.forEach(pid -> SegnoProcess.awaitGone(Long.parseLong(pid)));
            assertThat(parent).isEmptyDirectory();
        }
    }

    @Test
    @Tag("long")
    void shouldLetRanksEndThemselvesWhenTheLauncherIsKilled() throws Exception {
        // The ranks ignore TERM, which the kernel would send them, so that the lost connection alone ends them.
        try (SegnoProcess segno = start("-n", "2", "--", "sh", "-c", "trap '' TERM; exec " + command("wait"))) {
            final List<String> pids = segno.awaitOutput(2);
            segno.signal("KILL");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 9);
            pids.forEach(pid -> SegnoProcess.awaitGone(Long.parseLong(pid)));
            assertThat(parent).isEmptyDirectory();
        }
    }

    @Test
    @Tag("long")
    void shouldLetRanksEndThemselvesThatHadNotFoundTheLauncherBeforeItWasKilled() throws Exception {
        // The ranks write into files: after the launcher's end, the JDK may close the pipe that its children still
        // write to.
        final String script = "trap '' TERM; echo ready; read line < go$SEGNO_RANK; " + command("leave")
                + "; echo ended with $? > e$SEGNO_RANK; mv e$SEGNO_RANK ended$SEGNO_RANK";
        pipe("go0");
        pipe("go1");
        try (SegnoProcess segno = start("-n", "2", "--wdir", parent.toString(), "--", "sh", "-c", script)) {
            segno.awaitOutput(2);
            segno.signal("KILL");
            segno.process().waitFor();
            for (int rank = 0; rank < 2; rank++) {
                Files.writeString(parent.resolve("go" + rank), "go\n");
            }
            for (int rank = 0; rank < 2; rank++) {
                final Path ended = parent.resolve("ended" + rank);
                SegnoProcess.await(() -> Files.exists(ended), "rank " + rank + " ended");
                assertThat(ended).hasContent("ended with 143");
            }
        }
    }

    @Test
    @Tag("long")
    void shouldNameTheRanksThatHaveNotJoinedWhenTheStartTakesTooLong() throws Exception {
        final String script = "if [ $SEGNO_RANK = 1 ]; then exec sleep 60; fi; exec " + command("leave");
        try (SegnoProcess segno = start("-n", "2", "--start-timeout", "1s", "--", "sh", "-c", script)) {
            assertThat(segno.exitCode()).isEqualTo(1);
            assertThat(segno.error()).contains("first to fail (not joined: [1])", "TERM to 1 rank");
            assertThat(parent).isEmptyDirectory();
        }
    }

    /** Makes a named pipe: its reader waits until the test writes. */
    private void pipe(String name) throws IOException, InterruptedException {
        final String path = parent.resolve(name).toString();
        assertThat(new ProcessBuilder("mkfifo", path).inheritIO().start().waitFor())
                .isZero();
    }

    /** Returns a rank's command line, for a shell that runs other commands first. */
    private static String command(String argument) {
        return ShellWords.join(Program.main(classPath(), JoiningRank.class.getName(), List.of(argument))
                .command(Java.own()));
    }

    private static String classPath() {
        return System.getProperty("java.class.path");
    }

    private static void kill(String pid) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("sh", "-c", "kill -KILL " + pid)
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
    }

    private SegnoProcess start(String... arguments) throws IOException {
        final List<String> all = new ArrayList<>(List.of("run"));
        all.addAll(List.of(arguments));
        return SegnoProcess.start(Map.of("SEGNO_DIR", parent.toString()), all.toArray(String[]::new));
    }
}
