package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;

/**
 * Deaths in a job over two hosts whose ranks have joined. The ranks ignore TERM: they end by what they see of the
 * death, and print it.
 */
@Timeout(120)
final class RunHostDeathsTest {
    private static final String HOSTS = "localhost:2,b:2";
    private static final int SIZE = 4;

    @TempDir
    private Path directory = Path.of("");

    private TestHosts hosts;

    @BeforeEach
    void makeHosts() throws Exception {
        hosts = TestHosts.in(directory);
    }

    @Test
    @Tag("long")
    void shouldEndAJobByTheNameOfARankThatIsKilledOnAnotherHost() throws Exception {
        try (SegnoProcess segno = run()) {
            final List<Pid> pids = pids(segno);
            TestHosts.signal("KILL", pids.get(2).pid());
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(ExitCode.SIGNALLED + 9);
            assertThat(segno.error())
                    .contains("rank 2 (host b, pid " + pids.get(2).pid() + ") ended with 137 (signal 9, KILL)")
                    .contains("[0]<err> rank 2 failed", "[1]<err> rank 2 failed", "[3]<err> rank 2 failed")
                    .containsOnlyOnce("first to fail");
            awaitGone(pids);
        }
        assertThat(hosts.jobs()).isEmptyDirectory();
    }

    @Tag("stress")
    @Test
    void shouldEndAJobByTheNameOfARankThatIsKilledHere() throws Exception {
        try (SegnoProcess segno = run()) {
            final List<Pid> pids = pids(segno);
            TestHosts.signal("KILL", pids.get(1).pid());
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(ExitCode.SIGNALLED + 9);
            assertThat(segno.error())
                    .contains("rank 1 (pid " + pids.get(1).pid() + ") ended with 137 (signal 9, KILL)")
                    .contains("[0]<err> rank 1 failed", "[2]<err> rank 1 failed", "[3]<err> rank 1 failed");
            awaitGone(pids);
        }
        assertThat(hosts.jobs()).isEmptyDirectory();
    }

    @Test
    @Tag("long")
    void shouldEndWaitsForTheRanksOfAHostWhoseAgentIsKilled() throws Exception {
        try (SegnoProcess segno = run()) {
            final List<Pid> pids = pids(segno);
            TestHosts.signal("KILL", hosts.agents().get(0));
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(segno.error())
                    .contains("its ranks [2, 3] are lost")
                    .containsPattern("\\[0]<err> rank [23] failed")
                    .containsPattern("\\[1]<err> rank [23] failed");
            awaitGone(pids);
        }
    }

    @Tag("stress")
    @Test
    void shouldEndWaitsForTheRanksOfAHostWhoseAgentIsSilent() throws Exception {
        // The agent receives no order: the launcher waits for it until the grace and its other limits are over.
        try (SegnoProcess segno = run("--kill-grace", "500ms")) {
            final List<Pid> pids = pids(segno);
            TestHosts.signal("STOP", hosts.agents().get(0));
            assertThat(segno.exitCode()).as(segno.error()).isNotZero();
            assertThat(segno.error())
                    .containsPattern("\\[0]<err> rank [23] failed")
                    .containsPattern("\\[1]<err> rank [23] failed");
            awaitGone(pids);
        }
    }

    @Test
    @Tag("long")
    void shouldEndTheRanksOfAllHostsWhenTheLauncherIsKilled() throws Exception {
        try (SegnoProcess segno = run()) {
            final List<Pid> pids = pids(segno);
            final List<String> agents = hosts.agents();
            segno.signal("KILL");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 9);
            awaitGone(pids);
            TestHosts.awaitGone(agents);
        }
    }

    /** Process id of a rank. */
    private record Pid(int rank, String pid) {}

    private SegnoProcess run(String... options) throws Exception {
        final List<String> words = new ArrayList<>(List.of("--host", HOSTS, "--tag-output"));
        words.addAll(List.of(options));
        words.addAll(List.of(TestHosts.ignoringTerm(JoiningRank.class, "wait")));
        return hosts.run(words.toArray(String[]::new));
    }

    /** Waits until all ranks have passed their barrier; returns their process ids by rank. */
    private static List<Pid> pids(SegnoProcess segno) {
        final List<Pid> pids = new ArrayList<>();
        for (final String line : segno.awaitOutput(SIZE)) {
            pids.add(new Pid(
                    Integer.parseInt(line.substring(1, line.indexOf(']'))), line.substring(line.indexOf(' ') + 1)));
        }
        pids.sort((one, other) -> Integer.compare(one.rank(), other.rank()));
        return pids;
    }

    private static void awaitGone(List<Pid> pids) {
        TestHosts.awaitGone(pids.stream().map(Pid::pid).toList());
    }
}
