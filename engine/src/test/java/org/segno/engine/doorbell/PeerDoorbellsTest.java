package org.segno.engine.doorbell;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.RecordTable;
import org.segno.engine.job.Platform;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerTable;

/** Rings to peers whose headers and doorbells are right, or forged. */
class PeerDoorbellsTest {
    private static final RecordTable HEADER = RecordTable.of(NodeHeader.class);

    @TempDir
    Path directory;

    private MappedNodes nodes;
    private NodeMemory peer;
    private PeerDoorbells rings;
    private final WakePipe pipe = Objects.requireNonNull(WakePipe.take());
    private final WakePipe other = Objects.requireNonNull(WakePipe.take());

    @BeforeEach
    void open() {
        nodes = MappedNodes.create(directory, NodeSize.small().dimensions());
        peer = nodes.own(1);
        rings = new PeerDoorbells(PeerTable.of(List.of(Peer.mapped(nodes.own(0)), Peer.mapped(peer))));
        for (int rank = 0; rank < 2; rank++) {
            identity(rank, Platform.pid(), Platform.startTime(Platform.pid()));
        }
        publish(pipe.inode(), pipe.descriptor());
    }

    @AfterEach
    void close() {
        rings.close();
        nodes.close();
        WakePipe.giveBack(pipe);
        WakePipe.giveBack(other);
    }

    private void identity(int rank, long pid, long start) {
        final AtomicBuffer raw = nodes.own(rank).owner().buffer(0, NodeLayout.PAGE);
        raw.putLong(HEADER.offset("pid"), pid);
        raw.putLong(HEADER.offset("process start"), start);
    }

    private void publish(long inode, int file) {
        new DoorbellRecord(peer, 0).pipe(inode, file);
    }

    private int bytes(WakePipe of) throws IOException {
        try (PipeFile file = PipeFile.open(PipeFile.path(Platform.pid(), of.descriptor()))) {
            return file.available();
        }
    }

    @Test
    void shouldRingThePipeOfAPeer() throws IOException {
        assertThat(rings.unreachable()).isEqualTo(-1);
        assertThat(rings.ring(1, 0)).isTrue();
        assertThat(rings.ring(1, 0)).isTrue();

        assertThat(bytes(pipe)).isEqualTo(1);
        pipe.await(1);
    }

    @Test
    void shouldNotWriteToAPipeOfAnotherNumber() throws IOException {
        publish(pipe.inode(), other.descriptor());

        assertThat(rings.unreachable()).isEqualTo(1);
        assertThat(rings.ring(1, 0)).isFalse();
        assertThat(bytes(other) + bytes(pipe)).isZero();
    }

    @Test
    void shouldNotWriteToAFile() throws IOException {
        final Path file = directory.resolve("file");
        try (var stream = Files.newOutputStream(file)) {
            final int descriptor = descriptorOf(file);
            for (final long inode : new long[] {pipe.inode(), 1, -1}) {
                publish(inode, descriptor);

                assertThat(rings.ring(1, 0)).isFalse();
            }
            stream.flush();
        }
        assertThat(Files.size(file)).isZero();
    }

    private static int descriptorOf(Path file) throws IOException {
        try (var all = Files.newDirectoryStream(PipeFile.OWN)) {
            for (final Path path : all) {
                if (Files.exists(path) && Files.isSameFile(path, file)) {
                    return Integer.parseInt(path.getFileName().toString());
                }
            }
        }
        throw new IOException("not open: " + file);
    }

    @Test
    void shouldNotRingADescriptorOutOfRange() {
        for (final int descriptor : new int[] {-1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1 << 23}) {
            publish(pipe.inode(), descriptor);

            assertThat(rings.ring(1, 0)).as("descriptor " + descriptor).isFalse();
        }
    }

    @Test
    void shouldNotRingAProcessThatStartedAtAnotherTime() {
        identity(1, Platform.pid(), Platform.startTime(Platform.pid()) + 1);

        assertThat(rings.unreachable()).isEqualTo(1);
        assertThat(rings.ring(1, 0)).isFalse();
    }

    @Test
    void shouldNotRingAProcessThatIsNotVisible() {
        identity(1, Integer.MAX_VALUE, 0);

        assertThat(rings.unreachable()).isEqualTo(1);
        assertThat(rings.ring(1, 0)).isFalse();
    }

    @Test
    void shouldReachAVisiblePeerWithoutADoorbell() {
        publish(0, 0);

        assertThat(rings.unreachable()).isEqualTo(-1);
        assertThat(rings.ring(1, 0)).isFalse();
    }
}
