package org.segno.tools.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;
import org.segno.tools.observe.WatchedJob;

/** Damaged copies of a real job's node file: their inspection ends with a defined exit code for any content. */
final class DamagedFileTest {
    private static final int PARTS = 512;
    private static final int FILLED_HEADER = PARTS + 16 * Part.values().length;

    private static byte[] whole = {};
    private static byte[] other = {};

    @TempDir
    private static Path parent = Path.of("");

    @TempDir
    private Path directory = Path.of("");

    private final StringWriter out = new StringWriter();

    @BeforeAll
    static void keepAJob() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent, "--keep")) {
            final Path kept = job.end();
            whole = Files.readAllBytes(kept.resolve("node-0"));
            other = Files.readAllBytes(kept.resolve("node-1"));
        }
    }

    @BeforeEach
    void keepTheUndamaged() throws IOException {
        Files.write(directory.resolve("node-1"), other);
    }

    @AfterAll
    static void forget() {
        whole = new byte[0];
        other = new byte[0];
    }

    @Test
    void shouldFindNothingBrokenInAnUndamagedFile() throws IOException {
        assertThat(inspect(whole)).as(out.toString()).isZero();
    }

    /** Inverts all bits of four bytes of the header at a time, so that every field is damaged once. */
    @Test
    @Tag("long")
    void shouldEndWithOneOrThreeIfAnyFieldOfTheHeaderIsWrong() throws IOException {
        for (int offset = 0; offset < FILLED_HEADER; offset += Integer.BYTES) {
            final byte[] damaged = whole.clone();
            for (int i = 0; i < Integer.BYTES; i++) {
                damaged[offset + i] ^= (byte) 0xFF;
            }
            // Any 128 bits are a valid job id, and any time is a valid process start or heartbeat.
            final boolean anythingGoes = (offset >= 16 && offset < 32) || offset == 48 || offset == 256;
            assertThat(inspect(damaged))
                    .as("offset " + offset + " " + out)
                    .isIn(anythingGoes ? Set.of(0, 1, 3) : Set.of(ExitCode.NEGATIVE_RESULT, ExitCode.NOT_FIT));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 4095, 4096, 1 << 20, 3_000_000})
    void shouldEndWithThreeWhenTheFileWasCutOff(int length) throws IOException {
        assertThat(inspect(Arrays.copyOf(whole, length))).isEqualTo(ExitCode.NOT_FIT);
        assertThat(out.toString()).contains("node-0");
        if (length == 4096) {
            assertThat(out.toString()).contains("expected " + whole.length + ", found 4096");
        }
    }

    @Test
    void shouldNameTheRankOfAMissingFile() throws IOException {
        Files.write(directory.resolve("node-0"), whole);
        Files.delete(directory.resolve("node-1"));

        assertThat(inspect()).as(out.toString()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(out.toString())
                .containsPattern(" 1 +file +node-1 is missing")
                .doesNotContain("nothing broken");
        assertThat(inspect("--rank", "0")).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"mkfifo node-2", "mkdir node-2", "ln -s node-0 node-2", "ln -s /dev/zero node-2"})
    void shouldEndWithThreeAndNameAnEntryThatIsNoFile(String command) throws Exception {
        Files.write(directory.resolve("node-0"), whole);
        assertThat(new ProcessBuilder("sh", "-c", command)
                        .directory(directory.toFile())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();

        assertThat(inspect()).as(out.toString()).isEqualTo(ExitCode.NOT_FIT);
        assertThat(out.toString()).contains("node-2 is no node file");
    }

    @ParameterizedTest
    @CsvSource({
        // Part of the file, offset in it, 64 bits, expected message.
        "TAILS, 0, -5, 'tail -5, 1024 slots: tail - head must be 0 to slots'",
        "TAILS, 0, 5000, 'tail 5000, 1024 slots: tail - head must be 0 to slots'",
        "HEADS, 0, 9223372036854775807, 'FIFO 0'",
        "FIFO_SETTINGS, 0, 12345, 'are outside the'",
        "FIFO_SETTINGS, 8, 3, '3 slots at'",
        "FIFO_SETTINGS, 160, -30, 'quarantined by its engine'",
        "COUNTER_SETTINGS, 72, -1, 'lies outside the'",
        "WINDOW_TABLE, 0, 99999999, 'region 0'",
        "PEER_STATES, 128, 7, 'unknown state 7'",
        "METRICS, 0, -1, 'metric DESCRIPTORS'",
        "ERROR_LOG, 0, 77777777, 'error log'",
    })
    void shouldNameAnImpossibleValue(Part part, int offset, long value, String message) throws IOException {
        final byte[] damaged = whole.clone();
        final ByteBuffer file = ByteBuffer.wrap(damaged).order(ByteOrder.nativeOrder());
        file.putLong(start(file, part) + offset, value);

        assertThat(inspect(damaged)).as(out.toString()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(out.toString()).contains("broken: ").contains(message);
    }

    @ParameterizedTest
    @ValueSource(ints = {99, Operation.MULTICAST + 1})
    void shouldNameAPendingDescriptorThatIsInvalid(int operation) throws IOException {
        final byte[] damaged = whole.clone();
        final ByteBuffer file = ByteBuffer.wrap(damaged).order(ByteOrder.nativeOrder());
        final long head = file.getLong(start(file, Part.HEADS));
        final int slot = (int) (start(file, Part.FIFO_SLOTS) + head * NodeLayout.DESCRIPTOR_LENGTH);
        damaged[slot] = (byte) operation;

        assertThat(inspect(damaged)).as(out.toString()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(out.toString()).contains("FIFO 0 position " + head, "unknown operation " + operation);
    }

    @Test
    void shouldNameADescriptorWithANonzeroReservedField() throws IOException {
        final byte[] damaged = whole.clone();
        final ByteBuffer file = ByteBuffer.wrap(damaged).order(ByteOrder.nativeOrder());
        final long head = file.getLong(start(file, Part.HEADS));
        final int slot = (int) (start(file, Part.FIFO_SLOTS) + head * NodeLayout.DESCRIPTOR_LENGTH);
        damaged[slot + 3] = 1;

        assertThat(inspect(damaged)).as(out.toString()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(out.toString()).contains("FIFO 0 position " + head, "reserved field 0x100 must be 0");
    }

    @Test
    void shouldReportAnotherBuildWithBothHashes() throws Exception {
        final byte[] foreign = whole.clone();
        final ByteBuffer header = ByteBuffer.wrap(foreign).order(ByteOrder.nativeOrder());
        header.putInt(12, 0x0BADCAFE);

        assertThat(inspect(foreign)).isEqualTo(ExitCode.NOT_FIT);
        assertThat(out.toString())
                .contains("another build of Segno", "layout hash 0badcafe", String.format("%08x", NodeLayout.hash()));
        final SegnoProcess stat = WatchedJob.look(parent, "stat", directory.toString());
        assertThat(stat.process().exitValue()).isEqualTo(ExitCode.NOT_FIT);
        assertThat(stat.error())
                .contains("another build of Segno", "layout hash 0badcafe", String.format("%08x", NodeLayout.hash()));
    }

    @Test
    @Tag("long")
    void shouldEndWithADefinedExitCodeForAnyContent() throws IOException {
        for (int seed = 0; seed < 60; seed++) {
            final Random chance = new Random(seed);
            final byte[] damaged = whole.clone();
            final int count = 1 << chance.nextInt(16);
            for (int i = 0; i < count; i++) {
                // Damage in the header's first page ends the inspection at once, so most of the damage goes behind it.
                final int start = chance.nextInt(20) == 0 ? 0 : 4096;
                damaged[start + chance.nextInt(damaged.length - start)] = (byte) chance.nextInt();
            }
            Files.write(directory.resolve("node-0"), damaged);
            for (final Topic topic : Topic.values()) {
                assertThat(inspect(topic.word(), "--limit", "0"))
                        .as("seed " + seed + " " + topic)
                        .isIn(ExitCode.DONE, ExitCode.NEGATIVE_RESULT, ExitCode.NOT_FIT);
            }
        }
    }

    /** Returns the offset of a part of the owner's half, from the table in the header. */
    private static int start(ByteBuffer file, Part part) {
        return (int) file.getLong(PARTS + 16 * List.of(Part.values()).indexOf(part));
    }

    private int inspect(byte[] file, String... arguments) throws IOException {
        Files.write(directory.resolve("node-0"), file);
        return inspect(arguments);
    }

    private int inspect(String... arguments) {
        return Inspection.run(directory, out, arguments);
    }
}
