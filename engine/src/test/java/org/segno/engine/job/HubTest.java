package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.job.HubConnection.Frame;
import org.segno.node.JobConfig;
import org.segno.node.NodeAccess;

/** Hub as seen from raw sockets: the frames that members receive, and hostile callers. */
@Timeout(60)
class HubTest {
    private static final int SIZE = 3;
    private static final int CALLERS = 500;

    @TempDir
    Path parent;

    private final BlockingQueue<String> news = new LinkedBlockingQueue<>();
    private final BlockingQueue<String> log = new LinkedBlockingQueue<>();
    private final List<SocketChannel> sockets = new ArrayList<>();
    private final Logger logger = Logger.getLogger(Hub.class.getName());
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            log.add(line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private volatile Runnable onDead = () -> {};
    private JobDirectory directory;
    private Hub hub;

    @BeforeEach
    void start() {
        logger.setUseParentHandlers(false);
        logger.setLevel(Level.WARNING);
        logger.addHandler(handler);
        directory = JobDirectory.create(
                NodeAccess.settings(JobConfig.of("test", 0, SIZE).withDirectory(parent)));
        hub = Hub.start(directory, SIZE, true, new Hub.Listener() {
            @Override
            public void joined(int rank, long pid) {
                news.add("joined " + rank + " of process " + pid);
            }

            @Override
            public void allJoined() {
                news.add("all joined");
                throw new IllegalStateException("a listener's own trouble");
            }

            @Override
            public void left(int rank) {
                news.add("left " + rank);
            }

            @Override
            public void dead(int rank) {
                onDead.run();
                news.add("dead " + rank);
            }

            @Override
            public void failed(Throwable cause) {
                news.add("failed by " + cause);
            }
        });
    }

    @AfterEach
    void end() throws IOException {
        hub.close();
        hub.close();
        for (final SocketChannel socket : sockets) {
            socket.close();
        }
        logger.removeHandler(handler);
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void shouldEndTheJobByNameWhenAnErrorEndsItsThread() throws Exception {
        final SocketChannel one = connect();
        final SocketChannel two = connect();
        hello(one, 0);
        hello(two, 1);
        assertThat(read(one).type()).isEqualTo(Frame.WELCOME);
        readPlaceOf(one, 1);
        onDead = () -> {
            throw new StackOverflowError("made by a test");
        };

        two.close();

        assertThat(readOrEnd(one)).as("end of the connection").isNull();
        receiveUntil("failed by java.lang.StackOverflowError: made by a test");
    }

    @Test
    void shouldTakeAJobFromHelloToGoodbye() throws Exception {
        final SocketChannel one = connect();
        final SocketChannel two = connect();

        hello(one, 1);
        hello(one, 0);
        assertThat(read(one).rank()).isEqualTo(1);
        assertThat(read(one))
                .isEqualTo(new Frame(
                        Frame.WELCOME, 0, directory.id().high(), directory.id().low(), 2 * Platform.process() + 1));
        send(one, Frame.of(Frame.MADE, 0));
        assertThat(read(one)).isEqualTo(Frame.of(Frame.MADE, 0, 4711));
        hello(two, 2);
        assertThat(read(two).type()).isEqualTo(Frame.WELCOME);
        assertThat(read(two)).as("the earlier frame").isEqualTo(Frame.of(Frame.MADE, 0, 4711));
        send(one, Frame.of(Frame.MADE, 1));
        send(two, Frame.of(Frame.MADE, 2));
        send(one, Frame.of(Frame.MAPPED, 0));
        send(one, Frame.of(Frame.MAPPED, 1));
        assertThat(directory.path()).isDirectory();
        send(two, Frame.of(Frame.MAPPED, 2));

        expect(two, Frame.GO);
        assertThat(directory.path()).doesNotExist();
        send(two, Frame.of(Frame.GOODBYE, 2));
        two.close();
        expect(one, Frame.LEFT);
        one.close();
        receiveUntil("dead 1");
        hub.close();
    }

    @Test
    void shouldDropACallerThatSendsInvalidBytesAndServeTheOthers() throws Exception {
        final SocketChannel member = connect();
        hello(member, 0);
        assertThat(read(member).type()).isEqualTo(Frame.WELCOME);
        final Random chance = new Random(42);
        for (int foreigner = 0; foreigner < 50; foreigner++) {
            final byte[] rubbish = new byte[1 + chance.nextInt(4_096)];
            chance.nextBytes(rubbish);
            final SocketChannel socket = connect();
            try {
                socket.write(ByteBuffer.wrap(rubbish));
            } catch (IOException expected) {
                assertThat(expected).hasMessageMatching("Broken pipe|Connection reset.*");
            }
            if (rubbish.length >= Frame.LENGTH) {
                assertThat(readOrEnd(socket)).isNull();
            }
        }
        assertThat(log.poll(20, TimeUnit.SECONDS)).contains("sent what no member sends");

        final SocketChannel other = connect();
        hello(other, 1);
        assertThat(read(other).type()).isEqualTo(Frame.WELCOME);
        send(member, Frame.of(Frame.MADE, 0));
        assertThat(read(member).type()).isEqualTo(Frame.MADE);
    }

    @Test
    void shouldTakeAMemberThatSendsForeignFramesAsDead() throws Exception {
        final SocketChannel one = connect();
        final SocketChannel two = connect();
        hello(one, 0);
        hello(two, 1);
        assertThat(read(one).type()).isEqualTo(Frame.WELCOME);

        send(two, Frame.of(Frame.MADE, 0));

        assertThat(expect(one, Frame.DEAD).rank()).isEqualTo(1);
    }

    @Test
    void shouldNotifyItsOwnerOfADeathBeforeTheOthers() throws Exception {
        final SocketChannel one = connect();
        final SocketChannel two = connect();
        hello(one, 0);
        hello(two, 1);
        assertThat(read(one).type()).isEqualTo(Frame.WELCOME);
        assertThat(read(two).type()).isEqualTo(Frame.WELCOME);
        readPlaceOf(one, 1);
        one.configureBlocking(false);
        final ByteBuffer toldAlready = ByteBuffer.allocate(Frame.LENGTH);
        onDead = () -> {
            try {
                one.read(toldAlready);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };

        two.close();
        receiveUntil("dead 1");

        assertThat(toldAlready.position()).isZero();
        one.configureBlocking(true);
        assertThat(expect(one, Frame.DEAD).rank()).isEqualTo(1);
    }

    @Test
    void shouldRefuseVersionSizeAndRankAndReportItsOwn() throws Exception {
        final SocketChannel one = connect();
        hello(one, 0);
        assertThat(read(one).type()).isEqualTo(Frame.WELCOME);
        final SocketChannel two = connect();

        send(two, new Frame(Frame.HELLO, 1, 99, SIZE, 1));
        assertThat(read(two)).isEqualTo(new Frame(Frame.REFUSED, 1, Frame.VERSION_DIFFERS, Frame.VERSION, 0));
        send(two, new Frame(Frame.HELLO, 1, Frame.VERSION, 8, 1));
        assertThat(read(two)).isEqualTo(new Frame(Frame.REFUSED, 1, Frame.SIZE_DIFFERS, SIZE, 0));
        hello(two, 0);
        assertThat(read(two)).isEqualTo(new Frame(Frame.REFUSED, 0, Frame.RANK_TAKEN, 4711, 0));
        hello(two, 1);
        assertThat(read(two).type()).isEqualTo(Frame.WELCOME);
    }

    @Test
    void shouldNotifyMembersOnceOfARankWithAnotherSizeAlsoThoseThatJoinLater() throws Exception {
        final SocketChannel one = connect();
        hello(one, 0);
        final SocketChannel stranger = connect();
        send(stranger, new Frame(Frame.HELLO, 7, Frame.VERSION, 8, 1));
        send(stranger, new Frame(Frame.HELLO, 6, Frame.VERSION, 9, 1));
        assertThat(read(stranger)).isEqualTo(new Frame(Frame.REFUSED, 7, Frame.SIZE_DIFFERS, SIZE, 0));
        assertThat(read(stranger).type()).isEqualTo(Frame.REFUSED);
        final SocketChannel two = connect();
        hello(two, 1);
        send(two, Frame.of(Frame.MADE, 1));

        final Frame rejected = new Frame(Frame.REJECTED, 7, 8, 0, 0);
        assertThat(read(one).type()).isEqualTo(Frame.WELCOME);
        assertThat(read(one)).isEqualTo(rejected);
        assertThat(read(one).type()).isEqualTo(Frame.MADE);
        assertThat(read(two).type()).isEqualTo(Frame.WELCOME);
        assertThat(read(two)).isEqualTo(rejected);
        assertThat(read(two).type()).isEqualTo(Frame.MADE);
    }

    @Test
    void shouldNotBeFilledByCallersThatSendNothing() throws Exception {
        for (int caller = 0; caller < 200; caller++) {
            connect();
        }

        final SocketChannel member = connect();
        hello(member, 2);

        assertThat(read(member).type()).isEqualTo(Frame.WELCOME);
        assertThat(log.poll(20, TimeUnit.SECONDS)).contains("sends nothing");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void shouldLogAFloodOfForeignCallersWithFewLines(boolean silent) throws Exception {
        for (int caller = 0; caller < CALLERS; caller++) {
            final SocketChannel socket = connect();
            if (!silent) {
                send(socket, Frame.of(99, 0));
                assertThat(readOrEnd(socket)).isNull();
                socket.close();
            }
        }
        final SocketChannel member = connect();
        hello(member, 2);
        assertThat(read(member).type()).isEqualTo(Frame.WELCOME);

        assertThat(log).hasSizeBetween(8, 8 + Long.SIZE).anyMatch(line -> line.endsWith("(256 times so far)"));
    }

    @Test
    void shouldNotBeHeldUpByAMemberThatReadsNothing() throws Exception {
        final SocketChannel deaf = connect();
        hello(deaf, 0);
        final SocketChannel member = connect();
        hello(member, 1);
        assertThat(read(member).type()).isEqualTo(Frame.WELCOME);

        try {
            for (int round = 0; round < 100_000; round++) {
                send(deaf, new Frame(Frame.HELLO, 1, Frame.VERSION, SIZE, 1));
            }
        } catch (IOException expected) {
            assertThat(expected).hasMessageMatching("Broken pipe|Connection reset.*");
        }

        assertThat(expect(member, Frame.DEAD).rank()).isZero();
    }

    private SocketChannel connect() throws IOException {
        final SocketChannel socket = SocketChannel.open(StandardProtocolFamily.UNIX);
        sockets.add(socket);
        socket.connect(UnixDomainSocketAddress.of(JobDirectory.hubIn(directory.path())));
        return socket;
    }

    /** Reads the next frame that is no {@code PLACE}: all ranks are on this host. Returns null at the end. */
    private static @Nullable Frame readOrEnd(SocketChannel socket) {
        Frame frame = readAny(socket);
        while (frame != null && frame.type() == Frame.PLACE) {
            assertThat(frame.first()).isZero();
            frame = readAny(socket);
        }
        return frame;
    }

    private static @Nullable Frame readAny(SocketChannel socket) {
        final ByteBuffer bytes = ByteBuffer.allocate(Frame.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        try {
            while (bytes.hasRemaining()) {
                if (socket.read(bytes) < 0) {
                    return null;
                }
            }
        } catch (IOException reset) {
            return null;
        }
        return Frame.read(bytes, 0);
    }

    private static Frame read(SocketChannel socket) {
        return Objects.requireNonNull(readOrEnd(socket), "the hub closed the connection");
    }

    private static void readPlaceOf(SocketChannel socket, int rank) {
        Frame frame = Objects.requireNonNull(readAny(socket));
        while (frame.type() != Frame.PLACE || frame.rank() != rank) {
            frame = Objects.requireNonNull(readAny(socket));
        }
    }

    private static Frame expect(SocketChannel socket, int type) {
        Frame frame = read(socket);
        while (frame.type() != type) {
            frame = read(socket);
        }
        return frame;
    }

    private void receiveUntil(String last) throws InterruptedException {
        String received = news.poll(20, TimeUnit.SECONDS);
        while (received != null && !received.equals(last)) {
            received = news.poll(20, TimeUnit.SECONDS);
        }
        assertThat(received).isEqualTo(last);
    }

    private static void hello(SocketChannel socket, int rank) throws IOException {
        send(socket, new Frame(Frame.HELLO, rank, Frame.VERSION, SIZE, 4711));
    }

    private static void send(SocketChannel socket, Frame frame) throws IOException {
        socket.write(encoded(frame));
    }

    private static ByteBuffer encoded(Frame frame) {
        final ByteBuffer bytes = ByteBuffer.allocate(Frame.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        frame.write(bytes, 0);
        return bytes;
    }
}
