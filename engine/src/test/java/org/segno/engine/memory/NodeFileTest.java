package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.RecordTable;
import org.segno.engine.memory.NodeHeader.Identity;
import org.segno.engine.memory.NodeLayout.Half;
import org.segno.status.ClosedException;
import org.segno.status.SegnoException;

class NodeFileTest {
    private static final int RANK = 1;
    private static final int SIZE = 2;
    private static final Identity IDENTITY = new Identity(0x1122_3344_5566_7788L, 0x99AA_BBCC_DDEE_FF00L, RANK, 42, 43);
    private static final NodeLayout LAYOUT =
            NodeLayout.of(NodeSize.small().ranks(SIZE).dimensions());

    @TempDir
    Path directory;

    private Path path;

    @BeforeEach
    void makeAFile() {
        path = directory.resolve("node-1");
        NodeFile.create(path, LAYOUT, IDENTITY).close();
    }

    @Test
    void shouldBeWholeWrittenAndForItsOwnerOnly() throws IOException {
        assertThat(path).hasSize(LAYOUT.fileLength());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
    }

    @Test
    void shouldOpenAsThePeerThatWasMeant() {
        try (NodeFile file = NodeFile.open(path, IDENTITY, SIZE)) {
            final NodeMemory node = file.mapAsPeer();
            assertThat(node.layout().dimensions()).isEqualTo(LAYOUT.dimensions());
            assertThat(node.rank()).isEqualTo(RANK);
            assertThat(node.owner().length()).isEqualTo(LAYOUT.length(Half.OWNER));
            assertThat(file.holdsLock()).isFalse();
        }
    }

    @Test
    void shouldReportThatTheThreadWasInterruptedAndLeaveNothing() {
        final Path interrupted = directory.resolve("interrupted");
        try (NodeFile file = NodeFile.open(path, IDENTITY, SIZE)) {
            for (final ThrowingCallable step : List.<ThrowingCallable>of(
                    () -> NodeFile.create(interrupted, LAYOUT, IDENTITY),
                    () -> NodeFile.open(path, IDENTITY, SIZE),
                    file::mapAsPeer)) {
                Thread.currentThread().interrupt();
                assertThatThrownBy(step)
                        .isInstanceOf(ClosedException.class)
                        .hasMessageContaining("interrupted while")
                        .hasMessageContaining(directory.toString());
                assertThat(Thread.interrupted()).as("the flag is still set").isTrue();
                assertThat(interrupted).doesNotExist();
            }
        }
    }

    /** Keeps the file open, because closing it would free the process's locks on it. */
    @Test
    void shouldKeepAFileOpenWhenAnInterruptedThreadLooksForItsOwner() {
        try (NodeFile file = NodeFile.open(path, IDENTITY, SIZE)) {
            Thread.currentThread().interrupt();
            assertThat(file.isOwnerGone()).isTrue();
            assertThat(Thread.interrupted()).isTrue();
            assertThat(file.isOwnerGone()).isTrue();
        }
    }

    @Test
    void shouldShowPeersTheOwnersStoresAndTheOwnerTheirs() throws IOException {
        final Path shared = directory.resolve("shared");
        try (NodeFile file = NodeFile.create(shared, LAYOUT, IDENTITY)) {
            assertThat(file.holdsLock()).isTrue();
            final NodeMemory own = file.mapAsOwner();
            final NodeMemory peer = file.mapAsPeer();

            own.owner().putLong(LAYOUT.length(Half.OWNER) - 8, 1);
            peer.peers().putLong(LAYOUT.length(Half.PEERS) - 8, 2);
            peer.arena().putLong(LAYOUT.length(Half.ARENA) - 8, 3);

            assertThat(peer.owner().getLong(LAYOUT.length(Half.OWNER) - 8)).isEqualTo(1);
            assertThat(own.peers().getLong(LAYOUT.length(Half.PEERS) - 8)).isEqualTo(2);
            assertThat(own.arena().getLong(LAYOUT.length(Half.ARENA) - 8)).isEqualTo(3);
            assertThat(own.peers().getLong(0)).isZero();
            assertThat(own.arena().getLong(0)).isZero();
        }
    }

    @Test
    void shouldNotTakeTheFileOfAnother() {
        assertThatThrownBy(() -> NodeFile.create(path, LAYOUT, IDENTITY))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining(path.toString());
        assertThat(path).hasSize(LAYOUT.fileLength());
    }

    /**
     * Changes each byte of the header in turn: a change of a checked field is refused by a message that names the
     * field, and a change of an unchecked one does no harm.
     */
    @ParameterizedTest
    @ValueSource(bytes = {1, (byte) 0x80, (byte) 0xFF})
    void shouldNameTheFieldOfTheHeaderThatDiffers(byte change) throws IOException {
        final RecordTable table = RecordTable.of(NodeHeader.class);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            for (int offset = 0; offset < NodeHeader.LENGTH; offset++) {
                final String field = table.fieldAt(offset);
                flip(channel, offset, change);
                final Throwable thrown =
                        catchThrowable(() -> NodeFile.open(path, IDENTITY, SIZE).close());
                flip(channel, offset, change);
                final String as = "byte " + offset + ", field " + field;
                switch (field) {
                    case "reserved", "process start", "state", "heartbeat" ->
                        assertThat(thrown).as(as).isNull();
                    case "pid" -> assertDiffers(thrown, as, "process id");
                    case "magic" -> assertDiffers(thrown, as, "magic and layout version");
                    case "job id" -> assertDiffers(thrown, as, "job id, ");
                    case "size" -> assertDiffers(thrown, as, "size of the job");
                    case "dimensions", "window bytes" ->
                        assertDiffers(thrown, as, "dimensions", "length of", "offset of", "file length");
                    case "parts" -> {
                        assertDiffers(thrown, as, "offset of", "length of");
                        // Another version has another layout hash, which has been checked before.
                        assertThat(thrown).as(as).hasMessageContaining("remove the job's directory");
                    }
                    default -> assertDiffers(thrown, as, field);
                }
            }
        }
    }

    private static void flip(FileChannel channel, int offset, byte change) throws IOException {
        final ByteBuffer one = ByteBuffer.allocate(1);
        channel.read(one, offset);
        one.flip();
        one.put(0, (byte) (one.get(0) ^ change));
        channel.write(one, offset);
    }

    private static void assertDiffers(Throwable thrown, String as, String... anyOf) {
        assertThat(thrown).as(as).isExactlyInstanceOf(SegnoException.class);
        final String message = String.valueOf(thrown.getMessage());
        assertThat(anyOf).as(as + ": " + message).anyMatch(message::contains);
        assertThat(message).as(as).contains("node-1");
    }

    @Test
    void shouldReportThatItBelongsToAnotherRankOrJob() {
        assertThatThrownBy(() -> NodeFile.open(path, new Identity(1, 2, RANK, 0, 0), SIZE))
                .hasMessageContaining("differs in its job id")
                .hasMessageContaining("another job or rank");
        assertThatThrownBy(() ->
                        NodeFile.open(path, new Identity(IDENTITY.jobHigh(), IDENTITY.jobLow(), RANK - 1, 0, 0), SIZE))
                .hasMessageContaining("differs in its rank: expected 0, found 1");
        assertThatThrownBy(() -> NodeFile.open(path, IDENTITY, SIZE + 1))
                .hasMessageContaining("size of the job: expected 3, found 2")
                .hasMessageContaining("SEGNO_SIZE");
    }

    @Test
    void shouldReportThatTheFileIsTooShort() throws IOException {
        for (final long length : new long[] {0, 1, 8, 4095, 4096, 4097, LAYOUT.fileLength() - 1}) {
            final Path cut = directory.resolve("cut-" + length);
            Files.copy(path, cut);
            try (FileChannel channel = FileChannel.open(cut, StandardOpenOption.WRITE)) {
                channel.truncate(length);
            }
            assertThatThrownBy(() -> NodeFile.open(cut, IDENTITY, SIZE))
                    .as("length " + length)
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining(cut.toString())
                    .hasMessageContaining(Long.toString(length))
                    .hasMessageContaining(length < NodeHeader.LENGTH ? "too short" : "file length");
        }
    }

    @Test
    void shouldReportThatTheFileIsTooLong() throws IOException {
        Files.write(path, new byte[1], StandardOpenOption.APPEND);

        assertThatThrownBy(() -> NodeFile.open(path, IDENTITY, SIZE)).hasMessageContaining("file length: expected");
    }

    @Test
    void shouldReportThatThereIsNoFileOrNoNodeFile() throws IOException {
        assertThatThrownBy(() -> NodeFile.open(directory.resolve("none"), IDENTITY, SIZE))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("none");
        final Path other = Files.write(directory.resolve("other"), new byte[8192]);
        assertThatThrownBy(() -> NodeFile.open(other, IDENTITY, SIZE)).hasMessageContaining("magic and layout version");
    }
}
