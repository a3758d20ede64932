package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;

/**
 * Ends of jobs over several hosts, with commands that do not join. The remote shell of the test starts the agents on
 * this host, without the variables of the launcher, as {@code ssh} does.
 */
final class RunHostsEndTest {
    private static final String OBEDIENT = "echo $$; exec sleep 60";
    private static final String STUBBORN = "trap '' TERM INT; echo $$; while :; do sleep 0.01; done";

    @TempDir
    private Path directory = Path.of("");

    private Path jobs = Path.of("");
    private TestHosts hosts;

    @BeforeEach
    void makeRemoteShell() throws IOException {
        hosts = TestHosts.in(directory);
        jobs = hosts.jobs();
    }

    @Test
    @Tag("long")
    void shouldEndWithTheStatusOfTheRankThatFailedFirstWhereverItRan() throws Exception {
        pipe("go");
        final String script = "if [ $SEGNO_RANK = 2 ]; then read line < go; exit 3; fi; echo ready; exec sleep 60";
        try (SegnoProcess segno =
                run("--host", "localhost:1,b:1,c:2", "--wdir", directory.toString(), "--", "sh", "-c", script)) {
            segno.awaitOutput(3);
            Files.writeString(directory.resolve("go"), "go\n");
            assertThat(segno.exitCode()).isEqualTo(3);
            assertThat(segno.error())
                    .containsPattern("segno: rank 2 \\(host c, pid \\d+\\) ended with 3 after \\S+ s: first to fail\n")
                    .containsPattern("segno: TERM to 3 ranks, all gone in \\S+ s, none needed KILL")
                    .doesNotContain("lost");
        }
        assertThat(jobs).isEmptyDirectory();
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"INT, 2", "TERM, 15"})
    void shouldEndAllRanksAtASignal(String name, int number) throws Exception {
        try (SegnoProcess segno = run("--host", "localhost:1,b:2", "--", "sh", "-c", OBEDIENT)) {
            final List<String> pids = segno.awaitOutput(3);
            segno.signal(name);
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + number);
            assertThat(segno.error()).contains("signal " + number + ", " + name, "TERM to 3 ranks", "none needed KILL");
            awaitGone(pids);
        }
        assertThat(jobs).isEmptyDirectory();
    }

    @Test
    @Tag("long")
    void shouldKillAfterTheGraceOnAllHostsAlsoProcessesThatRanksHaveStarted() throws Exception {
        final String script = "(" + STUBBORN + ") & " + STUBBORN;
        try (SegnoProcess segno =
                run("--host", "localhost:1,b:1", "--kill-grace", "200ms", "--", "bash", "-c", script)) {
            final List<String> pids = segno.awaitOutput(4);
            segno.signal("TERM");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 15);
            assertThat(segno.error()).contains("2 needed KILL");
            awaitGone(pids);
        }
        assertThat(jobs).isEmptyDirectory();
    }

    @Tag("stress")
    @Test
    void shouldEndAtTheTimeoutAfterAskingEachHostForThreadDumps() throws Exception {
        try (SegnoProcess segno =
                run("--host", "a:1,b:1", "--timeout", "8s", "--stack-traces", "--", "sh", "-c", OBEDIENT)) {
            final List<String> pids = segno.awaitOutput(2);
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(ExitCode.TIMED_OUT);
            assertThat(segno.error())
                    .contains(
                            "--timeout 8s reached",
                            "host a: rank 0 is not a JVM",
                            "host b: rank 1 is not a JVM",
                            "TERM to 2 ranks");
            awaitGone(pids);
        }
    }

    @Test
    @Tag("long")
    void shouldPrintTheThreadDumpOfAVirtualMachineOnAnotherHost() throws Exception {
        Files.writeString(directory.resolve("Waiting.java"), """
                class Waiting {
                    public static void main(String[] args) throws Exception {
                        System.out.println("ready");
                        new java.util.concurrent.CountDownLatch(1).await();
                    }
                }
                """);
        try (SegnoProcess segno = run("--host", "b", "--tag-output", "--wdir", directory.toString(), "Waiting.java")) {
            segno.awaitOutput(1);
            segno.signal("USR1");
            SegnoProcess.await(() -> segno.error().contains("Waiting.main"), "the stack of rank 0");
            segno.signal("TERM");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 15);
            assertThat(segno.error()).containsPattern("(?m)^\\[0]<err> .*Waiting.main");
        }
    }

    @Test
    void shouldEndRanksAndAgentsOfAllHostsWhenTheLauncherIsKilled() throws Exception {
        final List<String> pids = new ArrayList<>();
        try (SegnoProcess segno = run("--host", "localhost:1,b:1,c:2", "--", "sh", "-c", OBEDIENT)) {
            pids.addAll(segno.awaitOutput(4));
            pids.addAll(agents());
            segno.signal("KILL");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 9);
            awaitGone(pids);
        }
        // The agents have removed their directories, and the next start removes that of the launcher.
        SegnoProcess.await(() -> jobs.toFile().list().length == 1, "the directory of the launcher alone");
        try (SegnoProcess next = run("-n", "1", "--", "true")) {
            assertThat(next.exitCode()).isZero();
        }
        assertThat(jobs).isEmptyDirectory();
    }

    @Test
    @Tag("long")
    void shouldEndRanksThatIgnoreTermOnAnotherHostWhenTheLauncherIsKilled() throws Exception {
        final List<String> pids = new ArrayList<>();
        try (SegnoProcess segno = run("--host", "b:2", "--kill-grace", "200ms", "--", "sh", "-c", STUBBORN)) {
            pids.addAll(segno.awaitOutput(2));
            pids.addAll(agents());
            segno.signal("KILL");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 9);
            awaitGone(pids);
        }
    }

    @Test
    void shouldReportTheHostWhoseAgentIsKilledAndEndTheJob() throws Exception {
        try (SegnoProcess segno = run("--host", "localhost:1,b:2", "--", "sh", "-c", OBEDIENT)) {
            final List<String> pids = segno.awaitOutput(3);
            kill(agents().get(0));
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(segno.error())
                    .contains("segno: host b: '" + directory.resolve("rsh") + " b …' ended with 137 (signal 9, KILL);"
                            + " its ranks [1, 2] are lost")
                    .contains("TERM to 1 rank, all gone");
            awaitGone(pids);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "3, --start-timeout 500ms --timeout 1h, --start-timeout 500ms reached",
        "124, --start-timeout 1h --timeout 500ms, --timeout 500ms reached"
    })
    void shouldNotWaitForAHostBeyondATimeout(int exitCode, String limits, String message) throws Exception {
        hosts.script("hang", "#!/bin/sh\nexec sleep 60\n");
        final List<String> words = new ArrayList<>(List.of("--host", "a"));
        words.addAll(List.of(limits.split(" ")));
        words.addAll(List.of("--", "true"));
        try (SegnoProcess segno = runWith("hang", words.toArray(String[]::new))) {
            assertThat(segno.exitCode()).isEqualTo(exitCode);
            assertThat(segno.error())
                    .contains("segno: " + message + ", not ready: host a ('" + directory.resolve("hang") + " a …')");
        }
    }

    @Test
    @Tag("long")
    void shouldEndAtASignalWhileItWaitsForAHost() throws Exception {
        hosts.script("hang", "#!/bin/sh\necho waits >&2\nexec sleep 60\n");
        try (SegnoProcess segno = runWith("hang", "--host", "a", "--", "true")) {
            segno.awaitError("waits");
            segno.signal("INT");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 2);
            assertThat(segno.error()).contains("signal 2, INT before any rank was started");
        }
    }

    private SegnoProcess run(String... arguments) throws IOException {
        return hosts.run(arguments);
    }

    private SegnoProcess runWith(String shell, String... arguments) throws IOException {
        return hosts.runWith(shell, arguments);
    }

    private List<String> agents() throws IOException {
        return hosts.agents();
    }

    private static void awaitGone(List<String> pids) {
        TestHosts.awaitGone(pids);
    }

    private static void kill(String pid) throws Exception {
        TestHosts.signal("KILL", pid);
    }

    /** Makes a named pipe: its reader waits until the test writes. */
    private void pipe(String name) throws Exception {
        final String path = directory.resolve(name).toString();
        assertThat(new ProcessBuilder("mkfifo", path).inheritIO().start().waitFor())
                .isZero();
    }
}
