package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;
import org.segno.tools.process.CoreList;

/**
 * Jobs over several hosts, with commands that do not join. The remote shell of the test starts the agents on this host,
 * without the variables of the launcher, as {@code ssh} does.
 */
final class RunHostsTest {
    private static final String OBEDIENT = "echo $$; exec sleep 60";

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
    void shouldGiveEachRankItsPlaceInTheJobAndOnItsHost() throws Exception {
        final String script = "echo $SEGNO_RANK of $SEGNO_SIZE, $SEGNO_LOCAL_RANK of $SEGNO_LOCAL_SIZE, "
                + "$SEGNO_JOB, $SEGNO_LAUNCHED $SEGNO_NET $SEGNO_FIFO_SLOTS $GIVEN in $(pwd -P)";
        try (SegnoProcess segno = run(
                "--host",
                "a:2,b:3",
                "-n",
                "4",
                "--net",
                "0.0.0.0/0",
                "--fifo-slots",
                "64",
                "-x",
                "GIVEN=x y",
                "--wdir",
                "/",
                "--",
                "sh",
                "-c",
                script)) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            final String output = String.join("\n", segno.output());
            assertThat(output)
                    .containsPattern("(?m)^0 of 4, 0 of 2, sh-h0-[0-9a-f]{16}, true 0.0.0.0/0 64 x y in /$")
                    .containsPattern("(?m)^1 of 4, 1 of 2, sh-h0-")
                    .containsPattern("(?m)^2 of 4, 0 of 2, sh-h1-")
                    .containsPattern("(?m)^3 of 4, 1 of 2, sh-h1-");
            assertThat(segno.output()).hasSize(4);
            assertThat(segno.error())
                    .containsPattern("segno: job sh-[0-9a-f]{4} · 4 ranks on 2 hosts \\(a 2, b 2\\) · ")
                    .containsPattern("segno: 4 ranks on 2 hosts ended with 0 in ");
            assertThat(agents()).hasSize(2);
        }
        assertThat(jobs).isEmptyDirectory();
    }

    @Test
    void shouldRunRanksHereBesideThoseOfAnotherHost() throws Exception {
        try (SegnoProcess segno = run(
                "--host", "localhost:1,b:2", "--tag-output", "--", "sh", "-c", "echo $SEGNO_LOCAL_SIZE; echo e >&2")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactlyInAnyOrder("[0]<out> 1", "[1]<out> 2", "[2]<out> 2");
            assertThat(segno.error()).contains("[0]<err> e", "[1]<err> e", "[2]<err> e");
            assertThat(agents()).hasSize(1);
        }
    }

    @Test
    void shouldKeepTheDirectoriesOfHostsWithRanksAlone() throws Exception {
        try (SegnoProcess segno = run("--keep", "--host", "b", "--", "true")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.error())
                    .contains("segno: host b: job directory kept: " + jobs)
                    .contains(" · job directories kept on the hosts")
                    .doesNotContain("· job directory kept");
        }
    }

    @Test
    @Tag("long")
    void shouldStartNoAgentIfAllRanksRunHere() throws Exception {
        try (SegnoProcess segno = run("--host", "localhost:2", "--", "sh", "-c", "echo $SEGNO_RANK")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactlyInAnyOrder("0", "1");
            assertThat(directory.resolve("agents")).doesNotExist();
        }
    }

    @Test
    @Tag("long")
    void shouldReadTheHostsFromAFileAndMapThemByNode() throws Exception {
        final Path file = Files.writeString(directory.resolve("hosts"), "a slots=2 # first\nuser@b slots=1\n");
        try (SegnoProcess segno =
                run("--hostfile", file.toString(), "--map-by", "node", "--display", "map", "--dry-run", "--", "true")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.error().lines())
                    .containsExactly(
                            "segno: rank 0 · host a, slot 0 · true · not bound",
                            "segno: rank 1 · host user@b, slot 0 · true · not bound",
                            "segno: rank 2 · host a, slot 1 · true · not bound");
            assertThat(segno.output()).hasSize(3);
            assertThat(segno.output().get(1)).endsWith(" true # host user@b").contains("SEGNO_LOCAL_SIZE=1");
            assertThat(directory.resolve("agents")).doesNotExist();
        }
    }

    @Test
    @Tag("long")
    void shouldBindRanksToCoresOfTheirHostAndReportThem() throws Exception {
        final int core = CoreList.ofThisProcess().get(0);
        try (SegnoProcess segno = run(
                "--host",
                "a,b",
                "--bind-to",
                "core",
                "--report-bindings",
                "--",
                "grep",
                "Cpus_allowed_list",
                "/proc/self/status")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactly("Cpus_allowed_list:\t" + core, "Cpus_allowed_list:\t" + core);
            assertThat(segno.error())
                    .contains("rank 1 bound by its host (--bind-to core)")
                    .contains("host a: rank 0 bound to core " + core, "host b: rank 1 bound to core " + core);
        }
    }

    @Test
    @Tag("long")
    void shouldRefuseMoreRanksThanCoresOnTheHostThatHasTooFew() throws Exception {
        try (SegnoProcess segno = run("--host", "localhost,b:500", "--no-oversubscribe", "--", "true")) {
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(segno.error()).contains("host b: --no-oversubscribe: 500 ranks on");
        }
    }

    @Test
    void shouldRunADemoOnAllSlots() throws Exception {
        final String shell = directory.resolve("rsh").toString();
        try (SegnoProcess segno = hosts.start("demo", "halo4d", "--rsh", shell, "--host", "a:2,b:3", "--dry-run")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).hasSize(5);
            assertThat(segno.output().get(4)).contains("SEGNO_SIZE=5", "SEGNO_LOCAL_RANK=2", "# host b");
        }
    }

    @Test
    @Tag("long")
    void shouldGiveItsInputToARankOnAnotherHost() throws Exception {
        try (SegnoProcess segno = run("-q", "--host", "a,b", "--stdin", "1", "--tag-output", "--", "wc", "-c")) {
            try (OutputStream input = segno.process().getOutputStream()) {
                input.write(new byte[300_000]);
            }
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactlyInAnyOrder("[0]<out> 0", "[1]<out> 300000");
        }
    }

    @Test
    @Tag("long")
    void shouldEndWithARankThatLeavesItsInputUnread() throws Exception {
        try (SegnoProcess segno = run("-q", "--host", "b", "--", "head", "-c", "3")) {
            try (OutputStream input = segno.process().getOutputStream()) {
                input.write("abcdef".getBytes(StandardCharsets.UTF_8));
                input.flush();
                assertThat(segno.exitCode()).as(segno.error()).isZero();
            }
            assertThat(segno.output()).containsExactly("abc");
        }
    }

    @Test
    @Tag("long")
    void shouldKeepLinesWholeAndLoseNone() throws Exception {
        final String script =
                "for i in 1 2 3 4 5 6 7 8 9; do seq -f \"$SEGNO_RANK:%06g:xxxxxxxxxxxxxxxxxxxx\" 1 4000; done";
        try (SegnoProcess segno = run("-q", "--host", "localhost:1,b:1,c:1", "--", "sh", "-c", script)) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).hasSize(3 * 9 * 4000).allMatch(line -> line.matches("[0-2]:\\d{6}:x{20}"));
        }
    }

    @Test
    @Tag("long")
    void shouldWriteTheOutputOfEachRankIntoAFileWithTheNameOfItsHost() throws Exception {
        final String pattern = directory.resolve("of-%r-%h").toString();
        try (SegnoProcess segno =
                run("-q", "--host", "a,b", "--output", "file=" + pattern, "--", "sh", "-c", "printf end")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).isEmpty();
        }
        assertThat(directory.resolve("of-0-a")).hasContent("end");
        assertThat(directory.resolve("of-1-b")).hasContent("end");
    }

    @Test
    @Tag("long")
    void shouldCompileASourceFileOnEachHost() throws Exception {
        Files.writeString(directory.resolve("Hello.java"), """
                class Hello {
                    public static void main(String[] args) {
                        System.out.println("hello " + System.getenv("SEGNO_RANK") + args[0]);
                    }
                }
                """);
        try (SegnoProcess segno = run("-q", "--host", "a,b", "--wdir", directory.toString(), "Hello.java", "!")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactlyInAnyOrder("hello 0!", "hello 1!");
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"127, no-such-program, not found: no-such-program", "126, ./plain, not executable: ./plain"})
    void shouldStartNoRankIfAHostLacksTheProgram(int exitCode, String program, String message) throws Exception {
        Files.createFile(directory.resolve("plain"));
        try (SegnoProcess segno = run("--host", "a,b", "--wdir", directory.toString(), "--", program)) {
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(exitCode);
            assertThat(segno.error()).containsPattern("segno: host [ab]: " + Pattern.quote(message));
            assertThat(segno.error()).doesNotContain("lost");
        }
        assertThat(jobs).isEmptyDirectory();
        awaitGone(agents());
    }

    @Test
    @Tag("long")
    void shouldNameAHostWhoseRemoteShellEndsAndTheRemedy() throws Exception {
        hosts.script("fail", "#!/bin/sh\necho \"no route to $1\" >&2; exit 255\n");
        try (SegnoProcess segno = runWith("fail", "--host", "a:2", "--", "true")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.NOT_FIT);
            final String shell = directory.resolve("fail").toString();
            assertThat(segno.error())
                    .contains("no route to a")
                    .contains("segno: host a: '" + shell + " a …' ended with 255 before its ranks were started: run '"
                            + shell + " a true' to see whether the host is reachable");
        }
        assertThat(jobs).isEmptyDirectory();
    }

    @Test
    void shouldQuoteWhatARemoteShellPrintsInsteadOfFrames() throws Exception {
        hosts.script("talk", "#!/bin/sh\necho \"Welcome to $1\"\n");
        try (SegnoProcess segno = runWith("talk", "--host", "a", "--", "true")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(segno.error())
                    .contains("host a: the remote shell prints text where the agent's frames belong: run '"
                            + hosts.path("talk") + " a true', which must print nothing")
                    .contains("such as ~/.bashrc: no frame begins with 'Welcome to a'");
        }
    }

    @Test
    @Tag("long")
    void shouldPassTheSecretNeitherInArgumentsNorInVariables() throws Exception {
        try (SegnoProcess segno = run("-v", "--host", "b", "--", "sh", "-c", "env; " + OBEDIENT)) {
            SegnoProcess.await(
                    () -> !segno.output().isEmpty() && segno.output().toString().contains("PWD"), "output");
            final String agent = agents().get(0);
            final String words = Files.readString(Path.of("/proc", agent, "cmdline"));
            final String variables = Files.readString(Path.of("/proc", agent, "environ"));
            assertThat(words).endsWith("\0host\0");
            // Nothing of the length of the secret, in hexadecimal or base 64, but the digits of the job's name.
            for (final String text : List.of(variables, String.join("\n", segno.output()), segno.error())) {
                final Matcher long32 = Pattern.compile("[A-Za-z0-9+=]{40,}").matcher(text);
                assertThat(long32.find()).as(text).isFalse();
            }
            segno.signal("TERM");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 15);
        }
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "2, -n 4 --host a:1;b:2 -- true, '4 ranks on 3 slots of 2 hosts: use -n 3, or give the hosts more slots (a:2)'",
        "2, --host a --hostfile f -- true, 'give --host or --hostfile, not both'",
        "2, --host a;b --as threads Any.java, '--as threads runs all ranks in one JVM, but --host names 2 hosts'",
        "2, --host a:x -- true, '--host takes names with slots'",
        "2, --host a --net 1.2.3.4/99 -- true, '--net takes a network'",
        "2, --host a --port-range 5 -- true, '--port-range takes A:B'",
        "2, --host a --hub x:y -- true, '--hub takes an address or name of this host'",
        "3, --hostfile no-such-file -- true, '--hostfile no-such-file: no such file'",
        "3, --host a --rsh no-such-shell -- true, 'no program no-such-shell to start ranks on host a'",
        "3, --host a --net 198.51.100.0/24 -- true, '--net 198.51.100.0/24 selects no address of this host'"
    })
    void shouldNameTheErrorAndTheRemedy(int exitCode, String arguments, String message) throws Exception {
        final List<String> words = new ArrayList<>(List.of("run"));
        words.addAll(List.of(arguments.replace(';', ',').split(" ")));
        try (SegnoProcess segno = hosts.start(words.toArray(String[]::new))) {
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(exitCode);
            assertThat(segno.error()).contains(message);
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
}
