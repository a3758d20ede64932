package org.segno.tools.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import java.util.zip.GZIPInputStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.trace.TraceRecord;
import org.segno.engine.trace.TraceRing.Losses;
import org.segno.tools.journal.JournalEnd.State;

class JournalTest {
    private static final Path KEPT = Path.of("src", "test", "resources", "journals");

    @TempDir
    Path directory;

    /** Writes the small journal, or copies the one that a version has written and that is kept since. */
    private void make(String version) throws IOException {
        if (version.equals("this version")) {
            SmallJournal.write(directory);
            return;
        }
        for (int rank = 0; rank < 2; rank++) {
            final Path target = Files.createDirectories(JournalFormat.directory(directory, rank));
            try (InputStream in = Files.newInputStream(KEPT.resolve(version).resolve("rank-" + rank + ".cq4.gz"));
                    InputStream unzipped = new GZIPInputStream(in)) {
                Files.copy(unzipped, target.resolve("20261126F.cq4"));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"this version", "version-1"})
    void shouldReturnTheRecordsOfAllRanksInTheOrderOfTheirTimes(String version) throws IOException {
        make(version);
        try (Journal journal = Journal.open(directory)) {
            assertThat(journal.size()).isEqualTo(2);
            assertThat(journal.isWhole()).isTrue();
            assertThat(journal.headers().get(1))
                    .isEqualTo(new JournalHeader(
                            1,
                            2,
                            "small-0123456789abcdef",
                            false,
                            true,
                            1,
                            1,
                            RecordedProcess.of(4711),
                            SmallJournal.EPOCH_NS,
                            1_000));
            assertThat(read(journal))
                    .containsExactly(
                            "0 1 DESCRIPTORS 1000",
                            "0 2 PAYLOAD 1000",
                            "0 3 REFUSED 1100",
                            "1 1 DESCRIPTORS 1500",
                            "1 2 LOST 1600",
                            "0 4 SECTION 2000",
                            "0 5 ROUND 4000",
                            "0 6 ROUND 5000",
                            "0 7 END 8000",
                            "1 3 END 8000");
            assertThat(journal.ends()).extracting(JournalEnd::state).containsOnly(State.COMPLETE);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"this version", "version-1"})
    void shouldReturnTheFieldsOfEachKind(String version) throws IOException {
        make(version);
        try (Journal journal = Journal.open(directory, rank -> rank == 0)) {
            final JournalRecord executed = require(journal);
            assertThat(executed.descriptors()).isEqualTo(2);
            assertThat(executed.descriptor(0).toString()).startsWith("PUT to rank 1 target 2");
            assertThat(executed.descriptor(0).length()).isEqualTo(64);
            assertThat(executed.descriptor(1).amount()).isEqualTo(-1);
            assertThat(executed.isOfPattern()).isFalse();
            assertThatThrownBy(() -> executed.descriptor(2)).isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(ByteBuffer.wrap(require(journal).payload())
                            .order(JournalFormat.ORDER)
                            .getLong())
                    .isEqualTo(0x0102030405060708L);
            assertThat(require(journal).refusal()).isEqualTo(-22);
            require(journal);
            final JournalRecord round = require(journal);
            assertThat(round.generation()).isEqualTo(1);
            assertThat(round.durationNs()).isEqualTo(100);
            final PatternSections.Section section = round.section();
            assertThat(section).isNotNull();
            assertThat(section.id()).isEqualTo(7);
            assertThat(section.arms()).isEqualTo(1);
            assertThat(section.bytes()).isEqualTo(16);
        }
    }

    @Test
    void shouldEndOpenWithoutALastRecordAndContinueWhenThereIsMore() {
        SmallJournal.write(directory, 1, false);
        try (Journal journal = Journal.open(directory)) {
            assertThat(read(journal)).hasSize(2);
            assertThat(journal.ends()).extracting(JournalEnd::state).containsExactly(State.OPEN);
            assertThat(journal.isWhole()).isFalse();
            assertThat(journal.next()).isNull();
        }
    }

    @Test
    void shouldFindTheJournalsOfRanksThatBeginLater() {
        SmallJournal.write(directory, 1, false);
        try (Journal journal = Journal.open(directory)) {
            assertThat(read(journal)).hasSize(2);
            assertThat(journal.isWhole()).isFalse();
            SmallJournal.write(directory, 0, true);
            journal.refresh();
            assertThat(journal.ranks()).containsExactly(0, 1);
            assertThat(journal.isWhole()).isTrue();
            assertThat(read(journal)).hasSize(7).first().isEqualTo("0 1 DESCRIPTORS 1000");
            assertThat(journal.ends()).extracting(JournalEnd::state).containsExactly(State.COMPLETE, State.OPEN);
        }
    }

    /** A queue writes the first word of a document last. */
    @ParameterizedTest
    @CsvSource({"7, OPEN", "6, DAMAGED"})
    void shouldTakeADocumentWithoutItsFirstWordForDamageOnlyIfAnotherFollows(int sequence, State state)
            throws IOException {
        SmallJournal.write(directory, 0, false);
        final Path file = file(0);
        final ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).order(JournalFormat.ORDER);
        int document = 0;
        // A document of ours begins with its length, twice; its record has the sequence number.
        while (bytes.getInt(document) < JournalFormat.BODY_END
                || bytes.getInt(document) != bytes.getInt(document + Integer.BYTES)
                || bytes.getLong(document + Integer.BYTES + JournalFormat.SEQUENCE_OFFSET) != sequence - 1) {
            document += Integer.BYTES;
        }
        bytes.putInt(document, 0);
        Files.write(file, bytes.array());

        try (Journal journal = Journal.open(directory)) {
            while (journal.next() != null) {
                assertThat(journal.isWhole()).isFalse();
            }
            assertThat(journal.ends()).extracting(JournalEnd::state).containsExactly(state);
            assertThat(journal.ends().get(0).records()).isEqualTo(sequence - 1);
        }
    }

    @Test
    void shouldReportThatThereIsNoJournal() {
        assertThatThrownBy(() -> Journal.open(directory))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.isMissing()).isTrue())
                .hasMessageContaining("no journal of these ranks in " + directory)
                .hasMessageContaining("--record all=DIR' writes one into DIR, a new or an empty directory");
        assertThatThrownBy(() -> Journal.open(directory.resolve("none"))).isInstanceOf(JournalException.class);
    }

    @Test
    void shouldRejectAnotherVersionByName() throws IOException {
        SmallJournal.write(directory, 0, true);
        final Path file = file(0);
        changeHeader(file, header -> header.putInt(JournalFormat.VERSION_OFFSET, JournalFormat.VERSION + 1));

        assertThatThrownBy(() -> Journal.open(directory))
                .isInstanceOfSatisfying(
                        JournalException.class, e -> assertThat(e.isMissing()).isFalse())
                .hasMessageContaining(file.getFileName().toString())
                .hasMessageContaining("version 3")
                .hasMessageContaining("reads version 2");
    }

    @Test
    void shouldRejectAnotherByteOrderByName() throws IOException {
        SmallJournal.write(directory, 0, true);
        changeHeader(file(0), header -> {
            header.putInt(0, Integer.reverseBytes(header.limit()));
            header.putLong(JournalFormat.MAGIC_OFFSET, Long.reverseBytes(JournalFormat.MAGIC));
        });

        assertThatThrownBy(() -> Journal.open(directory))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining("another byte order");
    }

    @Test
    void shouldNotTakeTheSectionOfAnEarlierPatternForThatOfALaterOneOfTheSameIndex() {
        SmallJournal.writeReusedIndex(directory);
        final List<String> ids = new ArrayList<>();
        try (Journal journal = Journal.open(directory)) {
            for (JournalRecord record = journal.next(); record != null; record = journal.next()) {
                final PatternSections.Section section = record.kind() == RecordKind.ROUND ? record.section() : null;
                if (record.kind() == RecordKind.ROUND) {
                    ids.add(record.generation() + " of " + (section == null ? "?" : "" + section.id()));
                }
            }
        }
        assertThat(ids).containsExactly("1 of ?", "2 of 7", "1 of ?", "2 of 8", "1 of ?");
    }

    @Test
    void shouldReturnWhatWasLostAtTheEndAsARecord() {
        final Losses first = new Losses(2, 5, 1, 9);
        try (JournalWriter writer = JournalWriter.create(JournalFormat.directory(directory, 0), header(0, 1))) {
            writer.end(first, 2_000, true);
        }
        try (Journal journal = Journal.open(directory)) {
            final JournalRecord lost = require(journal);
            assertThat(lost.kind()).isEqualTo(RecordKind.LOST);
            assertThat(new Losses(lost.lostRecords(), lost.lostDescriptors(), lost.lostRounds(), lost.lostBytes()))
                    .isEqualTo(first);
            assertThat(require(journal).kind()).isEqualTo(RecordKind.END);
            assertThat(journal.next()).isNull();
        }
    }

    @Test
    void shouldStartWhenTheFirstRankStartsWhateverRanksAreRead() {
        for (int rank = 0; rank < 2; rank++) {
            JournalWriter.create(JournalFormat.directory(directory, rank), header(rank, 2 + rank))
                    .close();
        }
        try (Journal journal = Journal.open(directory, rank -> rank == 1)) {
            assertThat(journal.startNs()).isEqualTo(2);
            assertThat(journal.isWhole()).isTrue();
            assertThat(journal.ranks()).containsExactly(1);
        }
    }

    @Test
    void shouldNotReadTheJournalOfAnotherRankNorASecondHeader() throws IOException {
        SmallJournal.write(directory, 1, true);
        Files.move(JournalFormat.directory(directory, 1), JournalFormat.directory(directory, 0));
        final UnsafeBuffer second =
                new UnsafeBuffer(new byte[JournalFormat.nameOffset(JournalFormat.VERSION) - JournalFormat.BODY_OFFSET]);
        second.putByte(0, (byte) JournalFormat.HEADER);
        try (JournalWriter writer = JournalWriter.create(JournalFormat.directory(directory, 1), header(1, 1))) {
            writer.write(second, 0, second.capacity());
        }
        try (Journal journal = Journal.open(directory)) {
            assertThat(journal.next()).isNull();
            assertThat(journal.ends())
                    .extracting(JournalEnd::reason)
                    .containsExactly("the journal is that of rank 1", "a header follows the first record");
        }
    }

    @Test
    void shouldNameAFileInPlaceOfTheDirectoryOfARank() throws IOException {
        final Path file = JournalFormat.directory(directory, 0);
        Files.writeString(file, "");

        assertThatThrownBy(() -> Journal.open(directory))
                .isInstanceOf(JournalException.class)
                .hasMessageContaining(file.toString());
    }

    private static JournalHeader header(int rank, long epochNs) {
        return new JournalHeader(rank, 2, "small", false, false, 1, 1, RecordedProcess.of(4711), epochNs, 1_000);
    }

    @Test
    void shouldReportARankWhoseJournalIsMissing() {
        SmallJournal.write(directory, 1, true);
        try (Journal journal = Journal.open(directory)) {
            assertThat(journal.isWhole()).isFalse();
            assertThat(journal.ranks()).containsExactly(1);
        }
    }

    @Test
    @Tag("long")
    void shouldLeaveNoFileInTheHomeDirectory() throws Exception {
        final Path home = Files.createDirectory(directory.resolve("home"));
        final Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Duser.home=" + home,
                        "-Djava.io.tmpdir=" + home,
                        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                        Flags.of(Runtime.version().feature()).get(0),
                        Flags.of(Runtime.version().feature()).get(1),
                        Flags.of(Runtime.version().feature()).get(2),
                        "-cp",
                        System.getProperty("java.class.path"),
                        JournalTest.class.getName(),
                        directory.resolve("written").toString())
                .inheritIO()
                .start();
        assertThat(process.waitFor()).isZero();

        try (Stream<Path> found = Files.list(home)) {
            assertThat(found.filter(each -> !each.getFileName().toString().startsWith("hsperfdata")))
                    .isEmpty();
        }
        assertThat(Files.isDirectory(directory.resolve("written"))).isTrue();
    }

    /** Writes a journal, in the process of a test. */
    public static void main(String[] arguments) {
        SmallJournal.write(Path.of(arguments[0]));
    }

    private static JournalRecord require(Journal journal) {
        final JournalRecord record = journal.next();
        assertThat(record).isNotNull();
        return record;
    }

    private static List<String> read(Journal journal) {
        final List<String> records = new ArrayList<>();
        for (JournalRecord record = journal.next(); record != null; record = journal.next()) {
            records.add(record.rank() + " " + record.sequence() + " " + record.kind() + " "
                    + (record.timeNs() - SmallJournal.EPOCH_NS));
        }
        return records;
    }

    private Path file(int rank) throws IOException {
        try (Stream<Path> found = Files.list(JournalFormat.directory(directory, rank))) {
            return found.filter(each -> each.toString().endsWith(".cq4"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Changes the header of a journal, with the right checksum afterwards. */
    private static void changeHeader(Path file, Consumer<ByteBuffer> change) throws IOException {
        final byte[] bytes = Files.readAllBytes(file);
        final ByteBuffer all = ByteBuffer.wrap(bytes).order(JournalFormat.ORDER);
        int at = 0;
        while (all.getLong(Math.max(at, 0) + 4 + JournalFormat.MAGIC_OFFSET) != JournalFormat.MAGIC) {
            at += 4;
        }
        final int length = all.getInt(at);
        final ByteBuffer header = all.slice(at + 4, length).order(JournalFormat.ORDER);
        change.accept(header);
        header.putInt(JournalFormat.CHECKSUM_OFFSET, RankReader.checksum(new CRC32C(), header, length));
        try (RandomAccessFile target = new RandomAccessFile(file.toFile(), "rw")) {
            target.seek(at);
            target.write(bytes, at, length + 4);
        }
        assertThat(header.get(JournalFormat.BODY_OFFSET + TraceRecord.FLAGS_OFFSET))
                .isZero();
    }
}
