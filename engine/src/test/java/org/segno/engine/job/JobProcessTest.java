package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.segno.engine.job.TestRankProcess.fork;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.node.JobConfig;
import org.segno.node.NodeAccess;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/**
 * Jobs of real processes that are killed and stopped. Each step waits for a printed line; limits end only tests that
 * hang.
 */
@Timeout(900)
class JobProcessTest {
    private static final Duration ENOUGH = Duration.ofMinutes(3);

    @TempDir
    Path parent;

    private final List<TestRankProcess> processes = new ArrayList<>();

    @AfterEach
    void endProcesses() {
        processes.forEach(TestRankProcess::close);
    }

    @Test
    void shouldJoinFourProcessesAndReportGoodbyeDeathAndNothingElse() {
        final List<TestRankProcess> ranks = ranks(4, "go");

        final String go = ranks.get(0).expect("go ");
        for (final TestRankProcess rank : ranks.subList(1, 4)) {
            assertThat(rank.expect("go ")).as("job id").isEqualTo(go);
        }
        assertThat(parent).as("gone as soon as all have joined").isEmptyDirectory();

        ranks.get(3).stop();
        ranks.get(2).goodbye();
        ranks.get(0).expect("left 2");
        ranks.get(1).expect("left 2");
        // A process that has left is not dead, however it ends.
        ranks.get(2).kill();
        ranks.get(1).kill();
        ranks.get(0).expect("dead 1");
        assertThat(ranks.get(0).printed()).doesNotContain("dead 2", "dead 3", "left 3");

        ranks.get(3).resume();
        ranks.get(3).expect("left 2");
        ranks.get(3).expect("dead 1");
        ranks.get(0).kill();
        ranks.get(3).expect("dead 0");
        ranks.get(3).expect("hub lost");
        assertThat(ranks.get(3).printed()).doesNotContain("dead 2");
    }

    @Test
    void shouldFailAllRanksNamingTheOneThatIsKilledDuringTheJoin() {
        final TestRankProcess first = rank(0, 3, "go");
        final TestRankProcess second = rank(1, 3, "go");
        final TestRankProcess third = rank(2, 3, "welcome");
        third.expect("welcome");
        first.expect("welcome");
        second.expect("welcome");

        third.kill();

        for (final TestRankProcess rank : List.of(first, second)) {
            assertThat(rank.expect("failed"))
                    .contains("PeerFailedException: rank 2 of job test died before all had joined");
        }
        assertThat(parent).as("removed by its hub").isEmptyDirectory();
    }

    @Test
    void shouldNameRankZeroWhenTheHubIsKilledDuringTheJoinAndSweepItsFiles() {
        final TestRankProcess first = rank(0, 3, "go");
        final TestRankProcess second = rank(1, 3, "go");
        first.expect("welcome");
        second.expect("welcome");

        first.kill();

        assertThat(second.expect("failed")).contains("PeerFailedException: rank 0");
        second.expectAnyTime("hub lost");
        assertThat(parent).isNotEmptyDirectory();

        final List<TestRankProcess> again = ranks(2, "go");
        again.forEach(rank -> rank.expect("go "));
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void shouldEndTheRanksWhenTheirLauncherIsKilled() {
        final TestRankProcess launcher = remember(fork(config(0, 2), "hub"));
        launcher.expect("hub");
        final List<TestRankProcess> ranks = ranks(2, "go");
        ranks.forEach(rank -> rank.expect("go "));
        launcher.expect("all joined");
        assertThat(parent).isEmptyDirectory();

        launcher.kill();

        for (final TestRankProcess rank : ranks) {
            rank.expect("hub lost");
            assertThat(rank.exitCode()).isEqualTo(143);
            assertThat(rank.printed()).noneMatch(line -> line.startsWith("dead"));
        }
    }

    @Test
    void shouldFailTheJoinWhenTheLauncherIsKilledMeanwhile() {
        final TestRankProcess launcher = remember(fork(config(0, 2), "hub"));
        launcher.expect("hub");
        final TestRankProcess second = rank(1, 2, "go");
        second.expect("welcome");

        launcher.kill();

        assertThat(second.expect("failed")).contains("ClosedException: the hub of job test is gone");
        assertThat(second.exitCode()).isEqualTo(143);
    }

    @Test
    @Tag("long")
    void shouldEndTheRanksThatComeAfterTheirLauncherWasKilled() {
        final TestRankProcess launcher = remember(fork(config(0, 2), "hub"));
        launcher.expect("hub");
        launcher.kill();

        for (int rank = 0; rank < 2; rank++) {
            final TestRankProcess late = remember(fork(config(rank, 2).withLaunched(true), "go"));
            assertThat(late.expect("failed")).contains("ClosedException: the hub of job test is gone");
            assertThat(late.exitCode()).isEqualTo(143);
            assertThat(late.printed()).contains("hub lost").doesNotContain("welcome");
        }
    }

    @Test
    void shouldGiveAStoppedHubTimeAndNameTheProcessThatDoesNotReply() {
        final TestRankProcess launcher = remember(fork(config(0, 2), "hub"));
        launcher.expect("hub");
        launcher.stop();
        final Membership membership = Membership.register(NodeAccess.settings(config(1, 2)), new IgnoringListener());

        final long deadlineNs = Deadline.in(ENOUGH.toSeconds(), TimeUnit.SECONDS);
        String reported = "";
        while (!reported.contains("no answer from the hub") && !Deadline.reached(deadlineNs)) {
            try {
                membership.awaitWelcome(1, Deadline.in(1, TimeUnit.MILLISECONDS));
            } catch (DeadlineException e) {
                reported = String.valueOf(e.getMessage());
            }
        }
        assertThat(reported).contains("no answer from the hub");
        membership.goodbye(1);

        launcher.resume();

        launcher.expect("left 1");
    }

    @Test
    void shouldNotifyTheLauncherOfJoinsGoodbyesAndDeaths() {
        final TestRankProcess launcher = remember(fork(config(0, 2), "hub"));
        launcher.expect("hub");
        final List<TestRankProcess> ranks = ranks(2, "go");
        launcher.expect("all joined");
        ranks.forEach(rank -> rank.expect("go "));

        ranks.get(0).goodbye();
        launcher.expect("left 0");
        ranks.get(1).expect("left 0");
        ranks.get(1).kill();
        launcher.expect("dead 1");
        assertThat(launcher.printed()).contains("joined 0", "joined 1");
    }

    @Test
    @Tag("long")
    void shouldRefuseARankThatAnotherProcessHasAndAnotherSize() {
        final TestRankProcess first = rank(0, 3, "go");
        first.expect("welcome");

        final TestRankProcess again = rank(0, 3, "go");
        assertThat(again.expect("failed"))
                .contains("rank 0 of job test is taken by process " + first.pid())
                .contains("already running")
                .contains("SEGNO_JOB");
        final TestRankProcess other = rank(1, 2, "go");
        assertThat(other.expect("failed")).contains("rank 1 of job test has SEGNO_SIZE=2", "has 3: give all the same");
        again.goodbye();
        other.goodbye();
        other.expect("goodbye");

        rank(1, 3, "go");
        rank(2, 3, "go").expect("go ");
        first.expect("go ");
        assertThat(first.printed()).noneMatch(line -> line.startsWith("dead") || line.startsWith("left"));
    }

    @Test
    void shouldKeepTheDirectoryWhenConfigured() {
        final JobConfig kept = config(0, 2).withKeep(true);
        final List<TestRankProcess> ranks = List.of(remember(fork(kept, "go")), remember(fork(kept.withRank(1), "go")));
        ranks.forEach(rank -> rank.expect("go "));

        ranks.forEach(TestRankProcess::kill);

        assertThat(JobDirectory.pathOf(NodeAccess.settings(kept))).isDirectoryContaining(file -> file.endsWith("kept"));
        final TestRankProcess next = rank(0, 1, "go");
        assertThat(next.expect("failed")).contains("was kept for inspection").contains("SEGNO_JOB");
        assertThat(JobDirectory.pathOf(NodeAccess.settings(kept)).resolve("node-1"))
                .exists();
    }

    @Test
    void shouldSweepTheDirectoryOfAKilledJobAndNoOther() throws Exception {
        final TestRankProcess killed = remember(fork(directoryOf("killed"), "directory"));
        final TestRankProcess running = remember(fork(directoryOf("running"), "directory"));
        killed.expect("made ");
        running.expect("made ");
        killed.kill();
        assertThat(parent.toFile().list()).hasSize(2);

        assertThat(JobDirectory.sweep(parent)).isEqualTo(1);

        assertThat(Files.exists(JobDirectory.pathOf(NodeAccess.settings(directoryOf("running")))))
                .isTrue();
        assertThat(parent.toFile().list()).hasSize(1);
    }

    @Test
    @Tag("long")
    void shouldGiveTheDirectoryToOneProcessAtATimeInARace() {
        final List<TestRankProcess> racers = Stream.generate(() -> remember(fork(config(0, 1), "race", "1000")))
                .limit(3)
                .toList();

        for (final TestRankProcess racer : racers) {
            assertThat(racer.expect("won ")).isEqualTo("won 1000");
            assertThat(racer.printed()).noneMatch(line -> line.contains("Exception"));
        }
        assertThat(parent).isEmptyDirectory();
    }

    private List<TestRankProcess> ranks(int size, String lastStep) {
        final List<TestRankProcess> ranks = new ArrayList<>();
        for (int rank = 0; rank < size; rank++) {
            ranks.add(rank(rank, size, lastStep));
        }
        return ranks;
    }

    private TestRankProcess rank(int rank, int size, String lastStep) {
        return remember(fork(config(rank, size), lastStep));
    }

    private TestRankProcess remember(TestRankProcess process) {
        processes.add(process);
        return process;
    }

    private JobConfig directoryOf(String job) {
        return JobConfig.of(job, 0, 1).withDirectory(parent);
    }

    private JobConfig config(int rank, int size) {
        return JobConfig.of("test", rank, size).withDirectory(parent).withJoinTimeout(ENOUGH);
    }
}
