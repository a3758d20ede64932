package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.job.HubConnection.Frame;
import org.segno.node.JobConfig;
import org.segno.node.NodeAccess;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

@Timeout(60)
class MembershipTest {
    private static final long SECONDS = 20;

    @TempDir
    Path parent;

    private final List<Member> members = new ArrayList<>();

    @AfterEach
    void leaveNothingBehind() throws Exception {
        members.forEach(Member::goodbye);
        assertThat(parent).isEmptyDirectory();
        awaitNoThread("segno-membership");
        awaitNoThread("segno-hub");
    }

    @Test
    void shouldTakeOneRankThroughAllStepsAlone() {
        final Member alone = member(0, 1);

        alone.join();

        assertThat(alone.membership.directory()).doesNotExist();
        assertThat(alone.membership.pid(0)).isEqualTo(Platform.pid());
    }

    @Test
    void shouldTakeSeveralRanksThroughAllStepsByOneThreadInAnyOrder() {
        final List<Member> three = List.of(member(2, 3), member(1, 3), member(0, 3));

        three.forEach(Member::awaitWelcome);
        three.forEach(Member::made);
        three.forEach(Member::awaitAllMade);
        three.forEach(Member::mapped);
        three.forEach(Member::awaitGo);

        assertThat(three).extracting(member -> member.membership).containsOnly(three.get(0).membership);
    }

    @Test
    void shouldJoinSixtyFourMembersOfOneProcessByAsManyThreads() throws Exception {
        final int size = 64;
        final ExecutorService threads = Executors.newFixedThreadPool(size);
        try {
            final List<Callable<Void>> joins = new ArrayList<>();
            for (int rank = 0; rank < size; rank++) {
                final Member member = member(rank, size);
                joins.add(() -> {
                    member.join();
                    return null;
                });
            }
            for (final Future<Void> join : threads.invokeAll(joins, SECONDS, TimeUnit.SECONDS)) {
                join.get();
            }
        } finally {
            threads.shutdownNow();
        }

        members.get(17).goodbye();

        members.stream().filter(member -> member.rank != 17).forEach(member -> member.expect("left 17"));
    }

    @Test
    void shouldNotifyAllOthersOfAFailedRankThoughItsProcessRuns() {
        final List<Member> three = List.of(member(0, 3), member(1, 3), member(2, 3));
        three.forEach(Member::awaitWelcome);
        three.forEach(Member::made);
        three.forEach(Member::awaitAllMade);
        three.forEach(Member::mapped);
        three.forEach(Member::awaitGo);

        Membership.fail(NodeAccess.settings(three.get(1).config));
        Membership.fail(NodeAccess.settings(three.get(1).config));

        three.get(0).expect("dead 1");
        three.get(2).expect("dead 1");
        three.get(1).goodbye();
        Membership.fail(NodeAccess.settings(three.get(1).config));
    }

    @Test
    void shouldNameTheHubAsMissingWhenThereIsNone() {
        final Member second = member(1, 2);

        assertThatThrownBy(() -> second.membership.awaitWelcome(1, Deadline.in(50, TimeUnit.MILLISECONDS)))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("rank 1")
                .hasMessageContaining("rank 0, or the launcher, is missing");
    }

    @Test
    void shouldReportTheInterruptAndNothingAsMissingWhenAThreadIsInterruptedWhileItJoins() {
        final Member second = member(1, 2);
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> second.membership.awaitWelcome(1, Deadline.in(5, TimeUnit.SECONDS)))
                .isInstanceOf(ClosedException.class)
                .hasMessageStartingWith("interrupted while joining: rank 1 ")
                .hasMessageContaining("waits for the hub in " + parent)
                .hasMessageNotContaining("missing");
        assertThat(Thread.interrupted()).as("the flag is still set").isTrue();
    }

    @Test
    void shouldNotBeTheHubWhereALauncherIsMeantToBe() {
        final Member first = new Member(config(0, 1).withLaunched(true));
        members.add(first);

        assertThatThrownBy(() -> first.membership.awaitWelcome(0, Deadline.in(50, TimeUnit.MILLISECONDS)))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("the launcher, is missing");
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void shouldNameTheRanksThatHaveNotJoined() {
        final Member first = member(0, 4);
        final Member third = member(2, 4);
        first.awaitWelcome();
        third.awaitWelcome();
        first.made();

        // The hub's notification that rank 0 is made may still be on its way.
        String reported = "";
        for (final long deadlineNs = Deadline.in(SECONDS, TimeUnit.SECONDS);
                !reported.contains("ranks 1, 2, 3 of 4"); ) {
            assertThat(Deadline.reached(deadlineNs)).as(reported).isFalse();
            reported = String.valueOf(assertThrows(
                            DeadlineException.class,
                            () -> first.membership.awaitAllMade(0, Deadline.in(50, TimeUnit.MILLISECONDS)))
                    .getMessage());
        }
    }

    @Test
    void shouldReportThatAMissingRankCameWithAnotherSize() throws Exception {
        final Member first = member(0, 2);
        first.awaitWelcome();
        first.made();

        try (SocketChannel second = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            second.connect(UnixDomainSocketAddress.of(JobDirectory.hubIn(first.membership.directory())));
            final ByteBuffer hello = ByteBuffer.allocate(Frame.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
            Frame.hello(1, 3).write(hello, 0);
            second.write(hello);
            assertThat(second.read(ByteBuffer.allocate(Frame.LENGTH))).isEqualTo(Frame.LENGTH);
        }

        // The notification reaches the membership thread on another socket than the reply.
        String message = "";
        for (int tries = 0; tries < 100 && !message.contains("turned away"); tries++) {
            message = String.valueOf(assertThrows(
                            DeadlineException.class,
                            () -> first.membership.awaitAllMade(0, Deadline.in(50, TimeUnit.MILLISECONDS)))
                    .getMessage());
        }
        assertThat(message)
                .contains("of 2 to join; rank 1 came with SEGNO_SIZE=3 and was turned away")
                .endsWith("give all the same SEGNO_SIZE");
    }

    @Test
    void shouldNameTheRanksThatHaveNotMapped() {
        final Member first = member(0, 2);
        final Member second = member(1, 2);
        first.awaitWelcome();
        second.awaitWelcome();
        first.made();
        second.made();
        first.awaitAllMade();
        first.mapped();
        first.waitsFor("rank 0 of job test waits for rank 1 of 2 to map the node files");
    }

    @Test
    void shouldFailTheOthersWhenARankLeavesBeforeAllHaveJoined() {
        final Member first = member(0, 3);
        final Member second = member(1, 3);
        first.awaitWelcome();
        second.awaitWelcome();
        second.made();

        second.goodbye();

        assertThatThrownBy(first::awaitAllMade)
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("rank 1")
                .hasMessageContaining("left before all had joined, still missing ranks 0, 2")
                .extracting(failure -> ((PeerFailedException) failure).rank())
                .isEqualTo(1);
        assertThat(first.membership.directory()).doesNotExist();
    }

    @Test
    void shouldFailTheWaitsOfARankThatHasLeft() {
        final Member first = member(0, 2);
        first.awaitWelcome();

        first.goodbye();

        assertThatThrownBy(first::awaitAllMade).isInstanceOf(ClosedException.class);
    }

    @Test
    void shouldStillReportThatAllHaveJoinedWhenAPeerHasLeftSince() {
        final Member first = member(0, 2);
        final Member second = member(1, 2);
        joinTogether(first, second);

        second.goodbye();
        first.expect("left 1");

        first.awaitAllMade();
        first.awaitGo();
    }

    @Test
    void shouldKeepServingTheOthersWhenTheRankOfTheHubHasLeft() {
        final Member first = member(0, 3);
        final Member second = member(1, 3);
        final Member third = member(2, 3);
        joinTogether(first, second, third);

        first.goodbye();
        third.goodbye();

        second.expect("left 0");
        second.expect("left 2");
    }

    @Test
    void shouldRefuseARankTwiceInOneProcess() {
        member(0, 2);

        assertThatThrownBy(() -> member(0, 2))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("rank 0 of job test is already in this process");
    }

    @Test
    void shouldRefuseAnotherSizeInOneProcess() {
        member(0, 2);

        assertThatThrownBy(() -> member(1, 3))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("has 2 ranks in this process, not 3");
    }

    @Test
    void shouldReportTheFaultOfTheParentDirectory() {
        final JobConfig config = config(0, 1).withDirectory(parent.resolve("absent"));
        final Member member = new Member(config);

        assertThatThrownBy(member::awaitWelcome)
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("absent")
                .hasMessageContaining("SEGNO_DIR");
        member.goodbye();
    }

    @Test
    void shouldStopWaitingWhenTheThreadIsInterruptedAndHarmNoOtherRank() {
        final Member first = member(0, 2);
        first.awaitWelcome();
        first.made();

        Thread.currentThread().interrupt();
        assertThatThrownBy(first::awaitAllMade).isInstanceOf(ClosedException.class);
        assertThat(Thread.interrupted()).isTrue();

        final Member second = member(1, 2);
        second.awaitWelcome();
        second.made();
        first.awaitAllMade();
    }

    @Test
    void shouldSendHeartbeatsRegularlyAndNeverAfterGoodbye() {
        final Member alone = member(0, 1);
        alone.join();
        alone.awaitHeartbeats(2);

        alone.goodbye();

        final long heartbeats = alone.heartbeats;
        final Member other = new Member(config(0, 1));
        other.join();
        other.awaitHeartbeats(2);
        other.goodbye();
        assertThat(alone.heartbeats).isEqualTo(heartbeats);
    }

    @Test
    void shouldLetAListenerCallGoodbye() throws Exception {
        final CountDownLatch hasLeft = new CountDownLatch(1);
        final Member first = member(0, 2);
        final Member second = member(1, 2);
        joinTogether(first, second);
        first.onNews = () -> {
            first.goodbye();
            hasLeft.countDown();
        };

        second.goodbye();

        assertThat(hasLeft.await(SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void shouldFailTheRanksOfItsProcessWhenAnErrorEndsItsThread() {
        final Member first = member(0, 3);
        final Member second = member(1, 3);
        final Member third = member(2, 3);
        joinTogether(first, second, third);
        first.onNews = () -> {
            throw new StackOverflowError("made by a test");
        };

        third.goodbye();

        final String failure =
                "failed the membership thread of job test by java.lang.StackOverflowError: made by a test";
        first.expect("left 2");
        first.expect(failure);
        second.expect(failure);
        final long startNs = System.nanoTime();
        first.goodbye();
        second.goodbye();
        assertThat(System.nanoTime() - startNs)
                .as("no wait for a thread that has ended")
                .isLessThan(4_000_000_000L);
    }

    @Test
    void shouldRunAgainUnderTheSameName() {
        JobId last = new JobId(0, 0);
        for (int round = 0; round < 20; round++) {
            final Member first = new Member(config(0, 2));
            final Member second = new Member(config(1, 2));
            joinTogether(first, second);
            assertThat(first.membership.jobId()).isNotEqualTo(last);
            last = first.membership.jobId();
            first.goodbye();
            second.goodbye();
        }
    }

    private static void joinTogether(Member... all) {
        final List<Member> ranks = List.of(all);
        ranks.forEach(Member::awaitWelcome);
        ranks.forEach(Member::made);
        ranks.forEach(Member::awaitAllMade);
        ranks.forEach(Member::mapped);
        ranks.forEach(Member::awaitGo);
    }

    private JobConfig config(int rank, int size) {
        return JobConfig.of("test", rank, size).withDirectory(parent).withJoinTimeout(Duration.ofSeconds(SECONDS));
    }

    private Member member(int rank, int size) {
        final Member member = new Member(config(rank, size));
        members.add(member);
        return member;
    }

    /** Waits for threads to end, which they do a moment after the goodbye has returned. */
    private static void awaitNoThread(String name) throws InterruptedException {
        for (final Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().equals(name)) {
                thread.join(TimeUnit.SECONDS.toMillis(SECONDS));
                assertThat(thread.isAlive()).as(name).isFalse();
            }
        }
    }

    private static final class Member implements Membership.Listener {
        private final int rank;
        private final JobConfig config;
        private final Membership membership;
        private final BlockingQueue<String> news = new LinkedBlockingQueue<>();
        private volatile long heartbeats;
        private volatile Runnable onNews = () -> {};

        Member(JobConfig config) {
            rank = config.rank();
            this.config = config;
            membership = Membership.register(NodeAccess.settings(config), this);
        }

        void join() {
            awaitWelcome();
            made();
            awaitAllMade();
            mapped();
            awaitGo();
        }

        void awaitWelcome() {
            membership.awaitWelcome(rank, deadlineNs());
        }

        void made() {
            assertThat(membership.directory()).isDirectory();
            membership.made(rank);
        }

        void awaitAllMade() {
            membership.awaitAllMade(rank, deadlineNs());
        }

        void mapped() {
            membership.mapped(rank);
        }

        void awaitGo() {
            membership.awaitGo(rank, deadlineNs());
            assertThat(Files.notExists(membership.directory())).isTrue();
        }

        void goodbye() {
            membership.goodbye(rank);
        }

        /** Waits until a wait for the job would report this message; the hub's notification may still be on its way. */
        void waitsFor(String message) {
            final long deadlineNs = deadlineNs();
            String reported = "";
            while (!reported.contains(message) && !Deadline.reached(deadlineNs)) {
                try {
                    membership.awaitGo(rank, Deadline.in(1, TimeUnit.MILLISECONDS));
                } catch (DeadlineException e) {
                    reported = String.valueOf(e.getMessage());
                }
            }
            assertThat(reported).contains(message);
        }

        void expect(String expected) {
            try {
                assertThat(news.poll(SECONDS, TimeUnit.SECONDS)).isEqualTo(expected);
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        void awaitHeartbeats(int count) {
            final long until = heartbeats + count;
            final long deadlineNs = deadlineNs();
            while (heartbeats < until && !Deadline.reached(deadlineNs)) {
                Thread.onSpinWait();
            }
            assertThat(heartbeats).isGreaterThanOrEqualTo(until);
        }

        private static long deadlineNs() {
            return Deadline.in(SECONDS, TimeUnit.SECONDS);
        }

        @Override
        public void left(int left) {
            news.add("left " + left);
            onNews.run();
        }

        @Override
        public void dead(int dead) {
            news.add("dead " + dead);
        }

        @Override
        public void hubLost() {
            news.add("hub lost");
        }

        @Override
        public void failed(String part, Throwable cause) {
            news.add("failed " + part + " by " + cause);
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate")
        public void heartbeat(long nowNs) {
            heartbeats++;
        }
    }
}
