package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.status.SegnoException;

class ObservedNodeTest {
    @TempDir
    Path directory;

    @Test
    void shouldSeeTheStoresOfTheOwner() throws IOException {
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NodeMemory own = nodes.own(1);
            final ObservedNode observed = ObservedNode.open(directory.resolve("node-1"));

            own.owner().putLong(own.layout().offset(Part.METRICS), 4711);
            own.peers().putLong(own.layout().offset(Part.LANES), 42);

            final NodeMemory seen = observed.memory();
            assertThat(seen.rank()).isEqualTo(1);
            assertThat(seen.owner().getLong(seen.layout().offset(Part.METRICS))).isEqualTo(4711);
            assertThat(seen.peers().getLong(seen.layout().offset(Part.LANES))).isEqualTo(42);
            assertThat(observed.header().identity()).isEqualTo(new NodeHeader.Identity(1, 2, 1, 3, 4));
            assertThat(observed.header().stateAcquire()).isEqualTo(NodeHeader.MADE);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, magic and layout version",
        "8, byte order",
        "12, layout hash",
        "32, has the impossible rank",
        "36, size of the job",
        "56, file length",
        "64, dimensions out of range",
        "120, file length by its layout",
        "512, offset of HEADER",
        "936, length of COUNTER_VALUES",
    })
    void shouldRefuseAHeaderThatContradictsItself(int offset, String what) throws IOException {
        final Path file = copy();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final ByteBuffer word = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder());
            channel.read(word, offset);
            channel.write(word.putInt(0, word.getInt(0) ^ 0x4000_1000).rewind(), offset);
        }

        assertThatThrownBy(() -> ObservedNode.open(file))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining(file.toString())
                .hasMessageContaining(what);
    }

    @ParameterizedTest
    @CsvSource({"0, 0x100", "12, 0x40001000"})
    void shouldReportAnotherBuildWithBothHashes(int offset, String change) throws IOException {
        final Path file = copy();
        final int hash;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final ByteBuffer word = ByteBuffer.allocate(Integer.BYTES).order(ByteOrder.nativeOrder());
            channel.read(word, offset);
            channel.write(
                    word.putInt(0, word.getInt(0) ^ Integer.decode(change)).rewind(), offset);
            channel.read(word.clear(), 12);
            hash = word.getInt(0);
        }

        assertThatThrownBy(() -> ObservedNode.open(file))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("another build of Segno")
                .hasMessageContaining(String.format("layout hash %08x; this build has", hash))
                .hasMessageContaining(String.format("layout hash %08x; use", NodeLayout.hash()));
    }

    @ParameterizedTest
    @CsvSource({"0, too short", "4095, too short", "4096, file length", "8192, file length"})
    void shouldRefuseAFileThatWasCutOff(long length, String what) throws IOException {
        final Path file = copy();
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(length);
        }

        assertThatThrownBy(() -> ObservedNode.open(file))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining(what);
    }

    @Test
    void shouldRefuseAMissingNode() {
        assertThatThrownBy(() -> ObservedNode.open(directory.resolve("node-9")))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("no node file");
    }

    /** Makes a copy under another name: this process has locked the original and must not open it again. */
    private Path copy() throws IOException {
        MappedNodes.create(directory, NodeSize.small().dimensions()).close();
        return Files.copy(directory.resolve("node-0"), directory.resolve("copy"));
    }
}
