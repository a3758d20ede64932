package org.segno.engine.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.job.HubConnection.Frame;
import org.segno.status.SegnoException;

@Timeout(60)
class HubConnectionTest {
    private static final int SIZE = 64;

    @TempDir
    Path parent;

    private Selector selector;
    private ServerSocketChannel server;
    private SocketChannel far;
    private HubConnection near;
    private Path directory;

    @BeforeEach
    void connect() throws IOException {
        directory = Files.createDirectory(
                parent.resolve("job"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        selector = Selector.open();
        server = HubConnection.listen(directory, selector, 1);
        near = Objects.requireNonNull(HubConnection.find(directory, selector, SIZE));
        far = server.accept();
        far.setOption(StandardSocketOptions.SO_SNDBUF, 4_096);
    }

    @AfterEach
    void close() throws IOException {
        near.close();
        far.close();
        server.close();
        selector.close();
    }

    @Test
    void shouldNameBothSizesWhenTheyDiffer() {
        final Frame refused = new Frame(Frame.REFUSED, 1, Frame.SIZE_DIFFERS, 2, 0);

        assertThat(refused.refusal("job hand", Path.of("/jobs"), 3))
                .isEqualTo("rank 1 of job hand has SEGNO_SIZE=3, the job's hub in /jobs has 2:"
                        + " give all the same SEGNO_SIZE");
    }

    @Test
    void shouldFindNoHubWithoutAListeningSocket() throws IOException {
        server.close();
        // A closed channel stays open in the system until its selector deregisters it.
        selector.selectNow();

        assertThat(HubConnection.find(directory, selector, SIZE)).isNull();
        assertThat(HubConnection.find(parent.resolve("absent"), selector, SIZE)).isNull();
    }

    @Test
    void shouldNotConnectToAHubInADirectoryThatOthersMayWrite() throws IOException {
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThatThrownBy(() -> HubConnection.find(directory, selector, SIZE))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("is not a job directory of user");
    }

    @Test
    void shouldLayOutAFrameAsInTheTable() {
        final ByteBuffer bytes = ByteBuffer.allocate(Frame.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        final Frame frame = new Frame(Frame.HELLO, 0x01020304, -2, 3, Long.MIN_VALUE);

        frame.write(bytes, 0);

        assertThat(bytes.getInt(Frame.TYPE_OFFSET)).isEqualTo(0x5e640001);
        assertThat(bytes.getInt(Frame.RANK_OFFSET)).isEqualTo(0x01020304);
        assertThat(bytes.getLong(Frame.FIRST_OFFSET)).isEqualTo(-2);
        assertThat(bytes.getLong(Frame.SECOND_OFFSET)).isEqualTo(3);
        assertThat(bytes.getLong(Frame.THIRD_OFFSET)).isEqualTo(Long.MIN_VALUE);
        assertThat(Frame.LENGTH).isEqualTo(Frame.THIRD_OFFSET + Long.BYTES);
        assertThat(Frame.read(bytes, 0)).isEqualTo(frame);
        assertThat(bytes.get(0)).as("little-endian").isEqualTo((byte) 1);
    }

    @Test
    void shouldAssembleFramesFromPiecesOfAnyLength() throws IOException {
        final int count = 200;
        final ByteBuffer bytes = ByteBuffer.allocate(count * Frame.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        for (int rank = 0; rank < count; rank++) {
            Frame.of(Frame.MADE, rank, 7).write(bytes, rank * Frame.LENGTH);
        }
        final List<Frame> read = new ArrayList<>();

        for (int piece = 1; bytes.hasRemaining(); piece = piece % 97 + 1) {
            bytes.limit(Math.min(bytes.position() + piece, bytes.capacity()));
            far.write(bytes);
            bytes.limit(bytes.capacity());
            assertThat(near.read((connection, frame) -> read.add(frame))).isTrue();
        }
        while (read.size() < count && near.read((connection, frame) -> read.add(frame))) {
            Thread.onSpinWait();
        }

        assertThat(read).extracting(Frame::rank).containsExactlyElementsOf(ranks(count));
        far.close();
        assertThat(near.read((connection, frame) -> read.add(frame)))
                .as("the end")
                .isFalse();
    }

    @Test
    void shouldHoldFramesThatTheOtherEndDoesNotReadAndLoseNothing() throws IOException {
        final int count = 8_000;
        for (int rank = 0; rank < count; rank++) {
            assertThat(near.send(Frame.of(Frame.DEAD, rank))).isTrue();
            near.flush();
        }

        final ByteBuffer bytes = ByteBuffer.allocate(count * Frame.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        far.configureBlocking(false);
        while (bytes.hasRemaining()) {
            assertThat(far.read(bytes)).isNotNegative();
            selector.selectNow(key -> near.flush());
        }

        for (int rank = 0; rank < count; rank++) {
            assertThat(Frame.read(bytes, rank * Frame.LENGTH)).isEqualTo(Frame.of(Frame.DEAD, rank));
        }
    }

    @Test
    void shouldRefuseMoreFramesThanOneJobCanSend() {
        int sent = 0;
        while (sent < 1_000_000 && near.send(Frame.of(Frame.DEAD, sent))) {
            sent++;
        }

        assertThat(sent).isBetween(130 * SIZE * SIZE, 131 * SIZE * SIZE);
    }

    @Test
    void shouldStillReadFramesReceivedBeforeWritesToTheOtherEndFailed() throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate(Frame.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        Frame.of(Frame.GOODBYE, 3).write(bytes, 0);
        far.write(bytes);
        far.close();
        near.send(Frame.of(Frame.LEFT, 1));
        near.flush();

        final List<Frame> read = new ArrayList<>();

        assertThat(near.read((connection, frame) -> read.add(frame))).isTrue();
        assertThat(read).containsExactly(Frame.of(Frame.GOODBYE, 3));
        assertThat(near.read((connection, frame) -> read.add(frame))).isFalse();
    }

    private static List<Integer> ranks(int count) {
        final List<Integer> ranks = new ArrayList<>();
        for (int rank = 0; rank < count; rank++) {
            ranks.add(rank);
        }
        return ranks;
    }
}
