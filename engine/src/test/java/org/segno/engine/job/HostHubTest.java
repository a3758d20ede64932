package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.job.HubConnection.Frame;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

/** Ranks of two hosts, each with a hub and a directory of its own, are one job. */
@Timeout(60)
class HostHubTest {
    private static final long SECONDS = 20;
    private static final int SIZE = 4;
    private static final Duration SILENCE = Duration.ofMillis(800);
    private static final Duration TIMEOUT = Duration.ofSeconds(SECONDS);

    private final JobSecret secret = JobSecret.random();
    private final HubNetwork network =
            new HubNetwork(new HubAddress(InetAddress.getLoopbackAddress(), 0, 0), secret, SILENCE);
    private final List<Member> members = new ArrayList<>();
    private final BlockingQueue<String> hubNews = new LinkedBlockingQueue<>();

    @TempDir
    Path first;

    @TempDir
    Path second;

    private final BlockingQueue<String> logged = new LinkedBlockingQueue<>();
    private final Logger logger = Logger.getLogger(Hub.class.getName());
    private final Handler log = new LogHandler();

    private Hub hub;
    private @Nullable HostHub hostHub;

    @BeforeEach
    void start() {
        logger.addHandler(log);
        hub = Hub.start(directory(first), SIZE, true, new HubListener("job "), network);
    }

    @AfterEach
    void leaveNothingBehind() throws IOException {
        members.forEach(Member::goodbye);
        if (hostHub != null) {
            hostHub.close();
        }
        hub.close();
        logger.removeHandler(log);
        assertThat(first).isEmptyDirectory();
        assertThat(second).isEmptyDirectory();
    }

    private static JobSettings settings(Path parent, int rank) {
        return new JobSettings("hosts", rank, SIZE, parent, false, true, null);
    }

    private static JobDirectory directory(Path parent) {
        return JobDirectory.create(settings(parent, 0));
    }

    private List<InetSocketAddress> hubs() {
        return List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), hub.port()));
    }

    private HubCall call(List<InetSocketAddress> addresses) {
        return new HubCall(addresses, secret, SILENCE, TIMEOUT);
    }

    private void startHostHub() {
        hostHub = HostHub.start(directory(second), SIZE, true, call(hubs()), new HubListener("host "));
    }

    private Member member(Path parent, int rank) {
        final Member member = new Member(settings(parent, rank));
        members.add(member);
        return member;
    }

    /** Returns the members of ranks 0 and 1 on the first host, 2 and 3 on the second, after their join. */
    private List<Member> joined() {
        startHostHub();
        final List<Member> all = List.of(member(first, 0), member(second, 2), member(second, 3), member(first, 1));
        all.forEach(Member::awaitWelcome);
        all.forEach(Member::awaitPlaces);
        all.forEach(Member::made);
        all.forEach(Member::awaitAllMade);
        all.forEach(Member::mapped);
        all.forEach(Member::awaitGo);
        return all;
    }

    @Test
    void shouldJoinTheRanksOfTwoHostsAndTellAllWhereEachIs() throws IOException {
        for (final Member member : joined()) {
            final Membership job = member.membership;
            assertThat(job.jobId()).isEqualTo(members.get(0).membership.jobId());
            assertThat(job.host(0)).isEqualTo(job.host(1)).isNotEqualTo(job.host(2));
            assertThat(job.host(2)).isEqualTo(job.host(3));
            assertThat(job.hostAddress(0)).isEqualTo(InetAddress.getLoopbackAddress());
            assertThat(job.hostAddress(3)).isEqualTo(InetAddress.getLoopbackAddress());
        }
        assertThat(hubNews).contains("job joined 3", "host joined 3", "job joined 0", "job all", "host all");
        assertThat(hubNews).doesNotContain("host joined 0");
        assertThat(first).as("no transport has files in it").isEmptyDirectory();
        assertThat(second).isEmptyDirectory();
    }

    @Test
    void shouldJoinOneRankOfEachHostBesideAHostWithoutRanks(@TempDir Path parent) throws IOException {
        final List<HostHub> others = new ArrayList<>();
        try {
            for (int rank = 0; rank < SIZE; rank++) {
                final Path host = Files.createDirectory(parent.resolve("host-" + rank));
                others.add(HostHub.start(directory(host), SIZE, true, call(hubs()), new HubListener("host ")));
                member(host, rank).awaitWelcome();
            }
            members.forEach(Member::awaitPlaces);
            for (final Member member : members) {
                final Membership job = member.membership;
                assertThat(job.host(SIZE - 1)).as("number of the last host").isEqualTo(SIZE);
                assertThat(job.hostAddress(SIZE - 1)).isEqualTo(InetAddress.getLoopbackAddress());
            }
        } finally {
            members.forEach(Member::goodbye);
            others.forEach(HostHub::close);
        }
    }

    @Test
    void shouldGiveAllRanksTheSameSecretOfLinksAndKeepTheDirectoriesOfThoseThatUseLinks() throws IOException {
        startHostHub();
        final List<Member> all = List.of(member(first, 0), member(first, 1), member(second, 2), member(second, 3));
        all.forEach(Member::awaitWelcome);
        final byte[] links = all.get(0).membership.awaitLinkSecret(0, deadlineNs());
        assertThat(links).hasSize(JobSecret.LENGTH).isNotEqualTo(secret.bytes());
        assertThat(all.get(2).membership.awaitLinkSecret(2, deadlineNs())).isEqualTo(links);
        all.forEach(Member::made);
        all.forEach(Member::awaitAllMade);
        final Path node = JobDirectory.nodeFile(all.get(0).membership.directory(), 0);
        Files.createFile(node);
        final Path used =
                Files.createDirectories(all.get(2).membership.directory().resolve("files/of a transport"));
        all.forEach(Member::mapped);
        all.forEach(Member::awaitGo);

        assertThat(node).doesNotExist();
        assertThat(used).isDirectory();
    }

    @Test
    void shouldTellAllRanksWhatARankStates() {
        startHostHub();
        final List<Member> all = List.of(member(first, 0), member(first, 1), member(second, 2), member(second, 3));
        all.forEach(Member::awaitWelcome);
        all.get(3).membership.state(3, new Statement(7, Long.MIN_VALUE, 5));
        all.get(3).membership.state(3, new Statement(8, 1, 2));
        all.get(3).membership.state(3, new Statement(7, 3, 4));
        all.forEach(Member::made);
        all.forEach(Member::awaitAllMade);

        assertThat(all)
                .allSatisfy(member -> assertThat(member.membership.statements(3))
                        .containsExactly(
                                new Statement(7, Long.MIN_VALUE, 5), new Statement(8, 1, 2), new Statement(7, 3, 4)));
    }

    @Test
    void shouldDeliverLettersInOrderBetweenAllHosts() {
        joined();
        for (int i = 0; i < 100; i++) {
            byRank(0).membership.write(0, 3, -1 - i, Long.MIN_VALUE, i);
            byRank(3).membership.write(3, 1, i, i, Long.MAX_VALUE);
            byRank(2).membership.write(2, 3, i, 0, 0);
        }
        for (int i = 0; i < 100; i++) {
            byRank(1).expect("letter 3 " + i + " " + i + " " + Long.MAX_VALUE);
        }
        final List<String> received = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            received.add(byRank(3).next());
        }
        assertThat(received.stream().filter(letter -> letter.startsWith("letter 0 ")))
                .hasSize(100)
                .endsWith("letter 0 -100 " + Long.MIN_VALUE + " 99");
        assertThat(received.stream().filter(letter -> letter.startsWith("letter 2 ")))
                .hasSize(100)
                .startsWith("letter 2 0 0 0");
    }

    @Test
    void shouldTellAllHostsOfGoodbyesAndOfDeaths() {
        joined();
        byRank(2).goodbye();
        byRank(0).expect("left 2");
        byRank(3).expect("left 2");
        Membership.fail(settings(second, 3));

        byRank(0).expect("dead 3");
        byRank(1).expect("left 2");
        byRank(1).expect("dead 3");
        await("host dead 3");
        await("job dead 3");
        assertThat(hubNews).doesNotContain("job dead 2");
    }

    @Test
    void shouldCallTheRanksOfAHostDeadWhenItsHubEnds() {
        joined();
        Objects.requireNonNull(hostHub).close();

        byRank(0).expect("dead 2");
        byRank(0).expect("dead 3");
        byRank(2).expectLast("hub lost");
    }

    @Test
    void shouldEndTheJobOnEachHostWhenTheJobsHubEnds() {
        joined();
        hub.close();

        members.forEach(member -> member.expectLast("hub lost"));
        assertThat(hubNews.stream().anyMatch(news -> news.startsWith("host failed")))
                .as("news: %s", hubNews)
                .isTrue();
    }

    @Test
    void shouldEndTheJoinOnAllHostsWhenOneRankDies() {
        startHostHub();
        final Member here = member(first, 0);
        final Member there = member(second, 2);
        here.awaitWelcome();
        there.awaitWelcome();
        here.made();
        Membership.fail(settings(second, 2));

        assertThatThrownBy(() -> here.membership.awaitAllMade(0, deadlineNs()))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("rank 2");
    }

    @Test
    void shouldRefuseARankThatAnotherHostHas() {
        startHostHub();
        member(first, 1).awaitWelcome();
        final Member again = member(second, 1);

        assertThatThrownBy(again::awaitWelcome)
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("rank 1 of job hosts is taken");
        final Member other = member(second, 2);
        other.awaitWelcome();
    }

    @Test
    void shouldRefuseARankOfAJobOfAnotherSize() {
        startHostHub();
        for (final int rank : new int[] {1, 6}) {
            final Member other = new Member(new JobSettings("hosts", rank, 2 * SIZE, second, false, true, null));
            assertThatThrownBy(other::awaitWelcome)
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining("has SEGNO_SIZE=8")
                    .hasMessageContaining("has 4");
            other.goodbye();
        }
        member(second, 1).awaitWelcome();
    }

    @Test
    void shouldCallAHostDeadThatIsSilent() throws IOException {
        final Member here = member(first, 0);
        here.awaitWelcome();
        try (SocketChannel channel = HubDial.call(hubs(), secret, TIMEOUT)) {
            send(channel, Frame.hello(2, SIZE));
            await("job joined 2");
            // It does not answer the hub's signs of life, but its end is open.
            await("job dead 2");
            assertThat(channel.isOpen()).isTrue();
        }
        assertThat(logged)
                .anyMatch(news -> news.endsWith(" drops host 1 at 127.0.0.1 with rank 2: it has been silent for 800 ms;"
                        + " set a longer SEGNO_SILENCE if its processes or the network may pause for so long"));
    }

    @Test
    void shouldEndTheHubOfAHostThatDoesNotHearTheJobsHub() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            // Kept: a socket that nothing refers to would be closed by the garbage collection.
            final AtomicReference<Socket> answered = new AtomicReference<>();
            final Thread deaf = new Thread(() -> answered.set(answerOnce(server)));
            deaf.start();
            hostHub = HostHub.start(
                    directory(second),
                    SIZE,
                    true,
                    call(List.of(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()))),
                    new HubListener("host "));
            deaf.join(TimeUnit.SECONDS.toMillis(SECONDS));
            final Path directory = JobDirectory.pathOf(settings(second, 0));
            final long deadlineNs = deadlineNs();
            while (Files.exists(directory) && !Deadline.reached(deadlineNs)) {
                Platform.park(1_000_000);
            }
            assertThat(directory).as("it ends").doesNotExist();
            assertThat(hubNews)
                    .as("no rank has joined yet")
                    .contains("host failed org.segno.status.SegnoException: the hub of the job has been silent for"
                            + " 800 ms; set a longer SEGNO_SILENCE if its processes or the network may pause for so"
                            + " long");
            Objects.requireNonNull(answered.get()).close();
        }
    }

    @Test
    void shouldNotFailWhenTheJobsHubEndsAfterTheLastGoodbyeButBeforeThatRankHasClosedItsConnection() throws Exception {
        final CountDownLatch ended = new CountDownLatch(1);
        final Hub.Listener listener = new Hub.Listener() {
            @Override
            public void left(int rank) {
                hubNews.add("host left " + rank);
                try {
                    // The host's hub goes on only after the end of the job's hub, which it then finds.
                    hubNews.add("job's hub ended in time: " + ended.await(SECONDS, TimeUnit.SECONDS));
                } catch (final InterruptedException e) {
                    throw new AssertionError(e);
                }
            }

            @Override
            public void failed(Throwable cause) {
                hubNews.add("host failed " + cause);
            }
        };
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                SocketChannel rank = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            final Thread jobsHub = new Thread(() -> endAfterTheGoodbyeOf(2, server, ended));
            jobsHub.start();
            final JobDirectory directory = directory(second);
            hostHub = HostHub.start(
                    directory,
                    SIZE,
                    true,
                    call(List.of(new InetSocketAddress(server.getInetAddress(), server.getLocalPort()))),
                    listener);
            rank.connect(UnixDomainSocketAddress.of(JobDirectory.hubIn(directory.path())));
            send(rank, Frame.hello(2, SIZE), Frame.of(Frame.GOODBYE, 2));
            jobsHub.join(TimeUnit.SECONDS.toMillis(SECONDS));
            await("job's hub ended in time: true");
            hostHub.close();
        }
        assertThat(hubNews).containsExactly("host left 2", "job's hub ended in time: true");
    }

    private void endAfterTheGoodbyeOf(int rank, ServerSocket server, CountDownLatch ended) {
        try (Socket socket = answerOnce(server)) {
            socket.getInputStream().readNBytes(JobSecret.LENGTH + 2 * Frame.LENGTH);
            final byte[] news = bytes(
                    new Frame(Frame.WELCOME, rank, 1, 2, 3),
                    Frame.of(Frame.LEFT, 0),
                    Frame.of(Frame.DEAD, 1),
                    Frame.of(Frame.LEFT, 3),
                    Frame.of(Frame.LEFT, rank));
            socket.getOutputStream().write(news);
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
        ended.countDown();
    }

    private static void send(SocketChannel channel, Frame... frames) throws IOException {
        channel.write(ByteBuffer.wrap(bytes(frames)));
    }

    private static byte[] bytes(Frame... frames) {
        final byte[] bytes = new byte[frames.length * Frame.LENGTH];
        final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        for (int i = 0; i < frames.length; i++) {
            frames[i].write(buffer, i * Frame.LENGTH);
        }
        return bytes;
    }

    /** Proves that it knows the secret, and is silent from then on. */
    private Socket answerOnce(ServerSocket server) {
        try {
            final Socket socket = server.accept();
            final ByteBuffer greeting =
                    ByteBuffer.wrap(socket.getInputStream().readNBytes(HubHandshake.GREETING_LENGTH));
            socket.getOutputStream()
                    .write(HubHandshake.answer(secret, HubHandshake.callersNumber(greeting), HubHandshake.draw())
                            .array());
            return socket;
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void shouldRefuseAHostWithAnotherSecretAndNameTheSecretAtBothEnds() {
        final HubCall other = new HubCall(hubs(), JobSecret.random(), SILENCE, Duration.ofSeconds(2));
        final JobDirectory directory = directory(second);

        assertThatThrownBy(() -> HostHub.start(directory, SIZE, true, other, new HubListener("host ")))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining(":" + hub.port())
                .hasMessageContaining("does not know the job's secret")
                .hasMessageContaining("give all hosts the same secret (SEGNO_SECRET_FILE)")
                .hasMessageNotContaining("is the port open");
        assertThat(directory.path()).doesNotExist();
        joined();
        assertThat(logged)
                .anyMatch(news -> news.contains("it has ended without a proof that it knows the job's secret:"
                        + " it has another one (SEGNO_SECRET_FILE)"));
    }

    @Test
    void shouldNameEachAddressAtWhichNoHubAnswers() throws IOException {
        final int closed;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            closed = server.getLocalPort();
        }
        final List<InetSocketAddress> nowhere =
                List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), closed));
        final JobDirectory directory = directory(second);

        assertThatThrownBy(() -> HostHub.start(
                        directory,
                        SIZE,
                        true,
                        new HubCall(nowhere, secret, SILENCE, Duration.ofSeconds(1)),
                        new HubListener("host ")))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining(":" + closed)
                .hasMessageContaining("does not answer");
        final List<InetSocketAddress> both = List.of(nowhere.get(0), hubs().get(0));
        hostHub = HostHub.start(directory(second), SIZE, true, call(both), new HubListener("host "));
        member(second, 3).awaitWelcome();
    }

    @Test
    void shouldDropStrangersAndServeItsHosts() throws IOException {
        final List<Socket> strangers = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            final Socket socket = new Socket(InetAddress.getLoopbackAddress(), hub.port());
            strangers.add(socket);
            if (i % 2 == 0) {
                final byte[] noise = new byte[HubHandshake.GREETING_LENGTH * 2];
                Arrays.fill(noise, (byte) i);
                socket.getOutputStream().write(noise);
            }
        }
        joined();
        for (final Socket socket : strangers) {
            socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(SECONDS));
            assertThat(isDropped(socket)).isTrue();
            socket.close();
        }
    }

    private static boolean isDropped(Socket socket) {
        try {
            return socket.getInputStream().read() < 0;
        } catch (final IOException reset) {
            return !(reset instanceof java.net.SocketTimeoutException);
        }
    }

    private Member byRank(int rank) {
        return members.stream()
                .filter(member -> member.rank == rank)
                .findFirst()
                .orElseThrow();
    }

    private void await(String news) {
        final long deadlineNs = deadlineNs();
        while (!hubNews.contains(news) && !Deadline.reached(deadlineNs)) {
            Platform.park(1_000_000);
        }
        assertThat(hubNews).contains(news);
    }

    private static long deadlineNs() {
        return Deadline.in(SECONDS, TimeUnit.SECONDS);
    }

    private final class LogHandler extends Handler {
        @Override
        public void publish(LogRecord entry) {
            logged.add(entry.getMessage());
        }

        @Override
        public void flush() {
            // Nothing is kept back.
        }

        @Override
        public void close() {
            // Has nothing.
        }
    }

    private final class HubListener implements Hub.Listener {
        private final String name;

        HubListener(String name) {
            this.name = name;
        }

        @Override
        public void joined(int rank, long pid) {
            hubNews.add(name + "joined " + rank);
        }

        @Override
        public void allJoined() {
            hubNews.add(name + "all");
        }

        @Override
        public void left(int rank) {
            hubNews.add(name + "left " + rank);
        }

        @Override
        public void dead(int rank) {
            hubNews.add(name + "dead " + rank);
        }

        @Override
        public void failed(Throwable cause) {
            hubNews.add(name + "failed " + cause);
        }
    }

    private static final class Member implements Membership.Listener {
        private final int rank;
        private final Membership membership;
        private final BlockingQueue<String> news = new LinkedBlockingQueue<>();

        Member(JobSettings settings) {
            rank = settings.rank();
            membership = Membership.register(settings, this);
        }

        void awaitWelcome() {
            membership.awaitWelcome(rank, deadlineNs());
        }

        void awaitPlaces() {
            membership.awaitPlaces(rank, deadlineNs());
        }

        void made() {
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
        }

        void goodbye() {
            membership.goodbye(rank);
        }

        void expect(String expected) {
            assertThat(next()).isEqualTo(expected);
        }

        /** Expects news after any others. */
        void expectLast(String expected) {
            String found = next();
            while (!found.equals(expected)) {
                found = next();
            }
        }

        String next() {
            try {
                final String found = news.poll(SECONDS, TimeUnit.SECONDS);
                assertThat(found).as("news of rank " + rank).isNotNull();
                return found;
            } catch (final InterruptedException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void left(int other) {
            news.add("left " + other);
        }

        @Override
        public void dead(int other) {
            news.add("dead " + other);
        }

        @Override
        public void hubLost() {
            news.add("hub lost");
        }

        @Override
        public void launcherLost() {
            // This process is that of the test.
            news.add("launcher lost");
        }

        @Override
        public void failed(String part, Throwable cause) {
            news.add(part + " failed");
        }

        @Override
        public void letter(int from, int word, long upper, long lower) {
            news.add("letter " + from + " " + word + " " + upper + " " + lower);
        }

        @Override
        public void heartbeat(long nowNs) {
            // Nobody watches this rank.
        }
    }
}
