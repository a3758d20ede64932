package org.segno.tools.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.tools.journal.JournalEnd.State;

/** Reading of a small journal in which each byte in turn is changed. */
class DamagedJournalTest {
    /** Bytes behind the data that are changed too. */
    private static final int BEHIND = 4096;

    /** More than the length of all records. */
    private static final int DATA_BYTES = 2048;

    @TempDir
    Path directory;

    private Path file;
    private byte[] good;
    private List<String> records;
    private int dataLength;

    @BeforeEach
    void write() throws IOException {
        SmallJournal.write(directory, 0, true);
        try (Stream<Path> found = Files.list(JournalFormat.directory(directory, 0))) {
            file = found.filter(each -> each.toString().endsWith(".cq4"))
                    .findFirst()
                    .orElseThrow();
        }
        final byte[] all = Files.readAllBytes(file);
        dataLength = all.length;
        while (all[dataLength - 1] == 0) {
            dataLength--;
        }
        good = Arrays.copyOf(all, dataLength + BEHIND);
        Files.write(file, good);
        records = new ArrayList<>();
        assertThat(read(records).state()).isEqualTo(State.COMPLETE);
        assertThat(records).hasSize(7);
    }

    @Test
    @Tag("long")
    void shouldNeverPassOnWrongDataNorThrowWithoutANameWhateverByteIsChanged() throws IOException {
        final Map<State, Integer> states = new EnumMap<>(State.class);
        int rejected = 0;
        int shortened = 0;
        int changes = 0;
        for (int at = 0; at < good.length; at++) {
            // Index pages of the queue are before the data: one change of each of their bytes.
            for (int bit = at < dataLength - DATA_BYTES ? Byte.SIZE : 0; bit <= Byte.SIZE; bit++) {
                change(at, bit == Byte.SIZE ? 0xFF : 1 << bit);
                changes++;
                final List<String> found = new ArrayList<>();
                try {
                    final JournalEnd end = read(found);
                    states.merge(end.state(), 1, Integer::sum);
                    assertThat(end.place()).contains(file.getFileName().toString());
                    assertThat(end.state() == State.COMPLETE && found.size() < records.size())
                            .as("complete without all records, byte " + at)
                            .isFalse();
                } catch (final JournalException e) {
                    assertThat(e.getMessage()).contains(file.getFileName().toString());
                    rejected++;
                }
                assertThat(records.subList(0, Math.min(records.size(), found.size())))
                        .as("byte " + at + " of " + dataLength)
                        .isEqualTo(found);
                shortened += found.size() < records.size() ? 1 : 0;
                change(at, 0);
            }
        }
        System.out.println("damaged journal: " + changes + " changes of " + good.length + " bytes, " + states
                + ", rejected " + rejected + ", shortened " + shortened);
        assertThat(states.get(State.DAMAGED)).isGreaterThan(500);
    }

    @Test
    @Tag("long")
    void shouldReadEveryPrefixUpToItsEnd() throws IOException {
        for (int length = 0; length < dataLength; length += length < dataLength - 3000 ? 4001 : 1) {
            Files.write(file, Arrays.copyOf(good, length));
            final List<String> found = new ArrayList<>();
            final JournalEnd end = read(found);

            assertThat(end.state()).as("length " + length).isNotEqualTo(State.COMPLETE);
            assertThat(records.subList(0, found.size())).isEqualTo(found);
        }
    }

    /** Changes bits of one byte of the file. */
    private void change(int at, int bits) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.write(ByteBuffer.wrap(new byte[] {(byte) (good[at] ^ bits)}), at);
        }
    }

    private JournalEnd read(List<String> found) {
        try (Journal journal = Journal.open(directory)) {
            for (JournalRecord record = journal.next(); record != null; record = journal.next()) {
                final StringBuilder text = new StringBuilder()
                        .append(record.kind())
                        .append(record.sequence())
                        .append(record.timeNs())
                        .append(Arrays.toString(record.payload()));
                for (int i = 0; i < record.descriptors(); i++) {
                    text.append(Arrays.toString(record.words(i)));
                }
                found.add(text.toString());
            }
            return journal.ends().get(0);
        }
    }
}
