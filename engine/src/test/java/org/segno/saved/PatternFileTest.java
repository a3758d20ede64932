package org.segno.saved;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.pattern.Pattern;
import org.segno.status.DeadlineException;
import org.segno.status.SegnoException;

/** Bytes of a pattern file, whole and damaged. */
@Timeout(120)
class PatternFileTest {
    private static final int FORGERIES = 1000;

    /** File of version 3, as a little-endian machine writes it. */
    private static final String GOLDEN =
            "5345474e4f504154040302010300000036010000000000001da6071e0000000005000000616c70686101000000020000"
                    + "000100000003000000800000000000000000100000000000000100000004000000050000000001000000000000400000"
                    + "0000000000ffffffff0100000000000000060000000700000002000000400000000000000005000000706c6163650100"
                    + "00000000000001000000ffffffff01000000000000000800000001000000010000000200000000000000000000000101"
                    + "010101010101020202020202020203030303030303030404040404040404050505050505050506060606060606060707"
                    + "070707070707080808080808080809090909090909090a0a0a0a0a0a0a0a0b0b0b0b0b0b0b0b0c0c0c0c0c0c0c0c0d0d"
                    + "0d0d0d0d0d0d0e0e0e0e0e0e0e0e0f0f0f0f0f0f0f0f";

    @TempDir
    Path files;

    private Path file;

    @BeforeEach
    void name() {
        file = files.resolve("patterns");
    }

    /** Returns content with one object of each kind. */
    private static SavedContent some() {
        final long[] words = new long[16];
        Arrays.setAll(words, i -> i * 0x0101010101010101L);
        return new SavedContent(
                "alpha",
                1,
                2,
                List.of(new SavedContent.SavedWindow(3, 128, 4096)),
                List.of(new SavedContent.SavedCounter(4, 5, 256, 64, -1, List.of())),
                List.of(new SavedContent.SavedTarget(0, 6, 7, 2, 64, "place")),
                List.of(new SavedContent.SavedContext(0, 1, -1)),
                List.of(new SavedContent.SavedPattern(0, 8, true, 1, words)));
    }

    private void write(byte[] bytes) throws IOException {
        Files.write(file, bytes);
    }

    private static byte[] bytesOf(ByteBuffer bytes) {
        final byte[] all = new byte[bytes.limit()];
        bytes.get(0, all);
        return all;
    }

    @Test
    void shouldReadBackItsFileAndReplaceAnOlderOne() throws IOException {
        for (int i = 0; i < 2; i++) {
            PatternFile.write(file, some());
            assertSame(PatternFile.read(file));
        }
        try (var left = Files.list(files)) {
            assertThat(left).containsExactly(file);
        }
    }

    private static void assertSame(SavedContent read) {
        final SavedContent saved = some();
        assertThat(read.patterns().get(0).words())
                .isEqualTo(saved.patterns().get(0).words());
        assertThat(read).usingRecursiveComparison().isEqualTo(saved);
    }

    @Test
    void shouldReadBackASetOfRanks() {
        final SavedContent some = some();
        final List<SavedContent.SavedCounter> counters = List.of(
                new SavedContent.SavedCounter(4, 5, 256, 64, SavedContent.SavedCounter.SET, List.of(0, 3, 65_535)),
                some.counters().get(0));
        PatternFile.write(
                file,
                new SavedContent(
                        some.client(),
                        some.rank(),
                        some.ranks(),
                        some.windows(),
                        counters,
                        some.targets(),
                        some.contexts(),
                        some.patterns()));
        assertThat(PatternFile.read(file).counters()).isEqualTo(counters);
    }

    /** Reads a golden file: another format needs another version. */
    @Test
    void shouldReadTheFilesOfItsVersion() throws IOException {
        Assumptions.assumeTrue(ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN);
        final byte[] golden = HexFormat.of().parseHex(GOLDEN);
        assertThat(HexFormat.of().formatHex(bytesOf(PatternFile.encode(some()))))
                .isEqualTo(GOLDEN);
        write(golden);
        assertSame(PatternFile.read(file));
    }

    @Test
    void shouldRefuseAFileOfWhichAnyBitIsAnother() throws IOException {
        final byte[] whole = bytesOf(PatternFile.encode(some()));
        // Two or three bits of every byte, all bits in all.
        for (int bit = 0; bit < whole.length * Byte.SIZE; bit += 3) {
            whole[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            write(whole);
            assertThatThrownBy(() -> PatternFile.read(file))
                    .as("bit %d", bit)
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContainingAll(file.toString(), "; save the patterns again, or start without them");
            whole[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
        }
    }

    @Test
    void shouldRefuseAFileThatIsTooShortOrTooLong() throws IOException {
        final byte[] whole = bytesOf(PatternFile.encode(some()));
        for (int length = 0; length < whole.length; length++) {
            write(Arrays.copyOf(whole, length));
            assertThatThrownBy(() -> PatternFile.read(file))
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining(file + " is damaged: it has " + length + " bytes");
        }
        write(Arrays.copyOf(whole, whole.length + 1));
        assertThatThrownBy(() -> PatternFile.read(file)).hasMessageContaining("its header records " + whole.length);
    }

    @Test
    void shouldReportTheVersionOfAFileAndItsOwn() throws IOException {
        for (final int version : new int[] {0, 2, 4}) {
            final ByteBuffer bytes = PatternFile.encode(some());
            bytes.putInt(PatternFile.VERSION_OFFSET, version);
            bytes.putInt(PatternFile.CHECK_OFFSET, PatternFile.check(bytes));
            write(bytesOf(bytes));
            assertThatThrownBy(() -> PatternFile.read(file))
                    .isInstanceOf(SegnoException.class)
                    .hasMessage(file + " has version " + version
                            + ", but this library reads version 3; save the patterns again, or start without them");
        }
    }

    @Test
    void shouldReportOtherFaultsOfAFile() throws IOException {
        assertThatThrownBy(() -> PatternFile.read(file)).hasMessageContainingAll("NoSuchFile", file.toString());
        assertThatThrownBy(() -> PatternFile.read(files)).isInstanceOf(SegnoException.class);
        write(new byte[100]);
        assertThatThrownBy(() -> PatternFile.read(file)).hasMessageContaining("does not begin with SEGNOPAT");
        final byte[] other = bytesOf(PatternFile.encode(some()));
        for (int i = 0; i < 2; i++) {
            final byte swapped = other[8 + i];
            other[8 + i] = other[11 - i];
            other[11 - i] = swapped;
        }
        write(other);
        assertThatThrownBy(() -> PatternFile.read(file)).hasMessageContaining("the other byte order");
    }

    @Test
    void shouldKeepTheOldFileWhereItCannotWrite() {
        final Path nowhere = files.resolve("none").resolve("patterns");
        assertThatThrownBy(() -> PatternFile.write(nowhere, some()))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("cannot save patterns to " + nowhere);
        assertThatThrownBy(() -> PatternFile.write(files, some()))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining("it is a directory");
        assertThat(files).isEmptyDirectory();
    }

    @Test
    void shouldNameAnInterruptAsTheReason() {
        PatternFile.write(file, some());
        try {
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> PatternFile.read(file))
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining("the thread is interrupted: clear that by Thread.interrupted");
            Thread.currentThread().interrupt();
            assertThatThrownBy(() -> PatternFile.write(file, some()))
                    .isInstanceOf(SegnoException.class)
                    .hasMessageContaining("the thread is interrupted");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
        assertThat(PatternFile.read(file).client()).isEqualTo("alpha");
        assertThat(files.toFile().list()).containsExactly("patterns");
    }

    /** Reads files with false contents and a valid check sum: each is refused or loaded, without any other effect. */
    @Test
    void shouldRefuseOrLoadAnyForgedFile(@TempDir Path parent) throws IOException {
        final byte[] whole;
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            ranks.record();
            SavedPatterns.save(ranks.client(0), file);
            whole = Files.readAllBytes(file);
        }
        int refused = 0;
        try (TwoRanks ranks = TwoRanks.open(parent, 0)) {
            for (int seed = 0; seed < FORGERIES; seed++) {
                write(forge(whole, new Random(seed)));
                try {
                    SavedPatterns.load(ranks.client(0), file, System.nanoTime()).forEach(Pattern::close);
                } catch (final DeadlineException | IllegalStateException e) {
                    refused++;
                } catch (final SegnoException e) {
                    assertThat(e).hasMessageContaining("is damaged");
                    refused++;
                } catch (final RuntimeException e) {
                    fail("seed " + seed, e);
                }
                assertThat(ranks.context(0).pattern(TwoRanks.EXCHANGE)).isNull();
            }
            write(whole);
            assertThat(SavedPatterns.load(ranks.client(0), file, System.nanoTime()))
                    .hasSize(2);
        }
        assertThat(refused).isBetween(FORGERIES / 10, FORGERIES - 1);
    }

    private static byte[] forge(byte[] whole, Random random) {
        final byte[] forged = whole.clone();
        final ByteBuffer bytes = ByteBuffer.wrap(forged).order(ByteOrder.nativeOrder());
        for (int i = random.nextInt(3); i >= 0; i--) {
            final int at = PatternFile.HEADER_LENGTH + random.nextInt(whole.length - PatternFile.HEADER_LENGTH);
            if (random.nextBoolean() && at <= whole.length - Integer.BYTES) {
                bytes.putInt(at & ~3, random.nextBoolean() ? random.nextInt() : random.nextInt(9) - 3);
            } else {
                bytes.put(at, (byte) random.nextInt());
            }
        }
        bytes.putInt(PatternFile.CHECK_OFFSET, PatternFile.check(bytes));
        return forged;
    }
}
