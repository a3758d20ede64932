package org.segno.tools.journal.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.tools.SegnoCall;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;
import org.segno.tools.journal.SmallJournal;

/** The command on a journal with fixed contents, in a process of its own where errors are checked. */
class JournalCommandTest {
    private static final Path GOLDEN = Path.of("src", "test", "resources", "golden");

    @TempDir
    Path parent;

    private Path journal;

    @BeforeEach
    void write() {
        journal = parent.resolve("run");
        SmallJournal.write(journal);
    }

    /**
     * Output of a command.
     *
     * @param exitCode its exit code
     * @param lines lines on standard output
     * @param error standard error
     */
    private record Result(int exitCode, List<String> lines, String error) {}

    private static Result run(String... arguments) throws Exception {
        try (SegnoProcess segno = SegnoProcess.start(Map.of(), arguments)) {
            final int exitCode = segno.exitCode();
            return new Result(exitCode, segno.output(), segno.error());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "ndjson", "csv", "table"})
    void shouldPrintOneLineForEachDescriptorAndRound(String format) throws Exception {
        final SegnoCall cat = SegnoCall.of("journal", "cat", journal.toString(), "--format", format);

        assertThat(cat.exitCode()).isZero();
        assertThat(cat.lines()).isEqualTo(Files.readAllLines(GOLDEN.resolve("journal-cat." + format)));
    }

    @Test
    void shouldSelectLines() throws Exception {
        final String[][] filters = {
            {"--rank", "1"},
            {"--kind", "put,round"},
            {"--kind", "^put,^arm,^payload"},
            {"--peer", "0"},
            {"--pattern", "7"},
            {"--since", "1us", "--until", "2us"},
            {"--match", "refused: .*"},
            {"--limit", "2"},
            {"--reverse", "--limit", "2"}
        };
        final long[] counts = {2, 5, 5, 1, 4, 6, 1, 2, 2};
        for (int i = 0; i < filters.length; i++) {
            final String[] all = Stream.concat(
                            Stream.of("journal", "cat", journal.toString(), "--format", "csv", "--no-index"),
                            Stream.of(filters[i]))
                    .toArray(String[]::new);
            final SegnoCall cat = SegnoCall.of(all);
            assertThat(cat.lines()).as(String.join(" ", filters[i])).hasSize((int) counts[i] + 1);
            assertThat(cat.lines().get(0)).startsWith("timeUs,rank");
        }
    }

    @Test
    void shouldListTheCommandsIfThereIsNoneOfThatName() throws Exception {
        final Result unknown = run("journal", "foo", journal.toString());

        assertThat(unknown.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
        assertThat(unknown.error())
                .contains("the commands of segno journal are cat, stat, export, diff, replay, verify");
    }

    @Test
    void shouldNameAnUnknownKindAndThePossibleOnes() throws Exception {
        final Result cat = run("journal", "cat", journal.toString(), "--kind", "put,^pull");

        assertThat(cat.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
        assertThat(cat.error()).contains("--kind has no '^pull': use ARM, COMBINE, COPY");
    }

    @ParameterizedTest
    @ValueSource(strings = {"rank", "peer", "kind", "pattern"})
    void shouldCountByRankPeerKindAndPattern(String by) throws Exception {
        final SegnoCall stat = SegnoCall.of("journal", "stat", journal.toString(), "--by", by, "--format", "json");

        assertThat(stat.exitCode()).isZero();
        assertThat(stat.lines()).isEqualTo(Files.readAllLines(GOLDEN.resolve("journal-stat-" + by + ".json")));
    }

    @ParameterizedTest
    @ValueSource(strings = {"json", "ndjson", "csv", "chrome", "hgrm"})
    void shouldExportToTheFormatOfTheFileName(String format) throws Exception {
        final Path file = parent.resolve("export." + format);
        final SegnoCall export = SegnoCall.of("journal", "export", journal.toString(), "-o", file.toString());

        assertThat(export.exitCode()).isZero();
        assertThat(Files.readAllLines(file)).isEqualTo(Files.readAllLines(GOLDEN.resolve("journal-export." + format)));
    }

    @Test
    @Tag("long")
    void shouldEndWithThreeWhenAFileCannotBeWrittenAndWithTwoForAnUnknownFormat() throws Exception {
        assertThat(run("journal", "export", journal.toString(), "-o", "/dev/full", "--to", "csv")
                        .exitCode())
                .isEqualTo(ExitCode.NOT_FIT);
        final Result unknown = run("journal", "export", journal.toString(), "-o", "a.b");
        assertThat(unknown.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
        assertThat(unknown.error()).contains("--to is needed");
    }

    @Test
    void shouldFindNoDifferenceAndThenTheFirstOneWithItsContext() throws Exception {
        final Path same = parent.resolve("same");
        SmallJournal.write(same);
        final Path changed = parent.resolve("changed");
        SmallJournal.writeChanged(changed, 65);

        assertThat(SegnoCall.of("journal", "diff", journal.toString(), same.toString())
                        .exitCode())
                .isZero();
        final SegnoCall diff = SegnoCall.of("journal", "diff", "--ignore-time", journal.toString(), changed.toString());
        assertThat(diff.exitCode()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(diff.lines().get(0)).isEqualTo("rank 0, FIFO 0.0, line 1");
        assertThat(diff.lines()).anyMatch(line -> line.matches("A .* PUT .* 64 .*"));
        assertThat(diff.lines()).anyMatch(line -> line.matches("B .* PUT .* 65 .*"));
    }

    @Test
    void shouldTellPayloadsOfOneLengthApart() throws Exception {
        final Path other = parent.resolve("other");
        SmallJournal.writeOtherPayload(other);

        final SegnoCall diff = SegnoCall.of("journal", "diff", journal.toString(), other.toString());
        assertThat(diff.exitCode()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(diff.lines()).anyMatch(line -> line.matches("B .* PAYLOAD .* crc .*"));
    }

    @Test
    void shouldFindNoDifferenceInPayloadsThatWereMovedInOtherParts() throws Exception {
        final Path whole = parent.resolve("whole");
        SmallJournal.writePayloads(whole, 40);
        final Path parts = parent.resolve("parts");
        SmallJournal.writePayloads(parts, 17);

        final SegnoCall diff = SegnoCall.of("journal", "diff", whole.toString(), parts.toString());
        assertThat(diff.exitCode()).as(diff.lines().toString()).isZero();
    }

    @Test
    @Tag("long")
    void shouldNameTheDamageOfEqualJournals() throws Exception {
        final Path file = file(0);
        final long offset = damage(file);

        final Result diff = run("journal", "diff", journal.toString(), journal.toString());
        assertThat(diff.exitCode()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(diff.error()).contains("damaged after 3 records", file + ":" + offset);
        final Result replay = run("journal", "replay", journal.toString(), "--speed", "max", "--times", "0");
        assertThat(replay.exitCode()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(replay.error()).contains("damaged after 3 records", file + ":" + offset);
    }

    @Test
    @Tag("long")
    void shouldEndWithFourForAPatternThatWasNotReplayed() throws Exception {
        final Result replay = run("journal", "replay", journal.toString(), "--pattern", "99999");

        assertThat(replay.exitCode()).isEqualTo(ExitCode.NOTHING_THERE);
        assertThat(replay.error()).contains("no pattern #99999", "journal stat");
    }

    @Test
    @Tag("long")
    void shouldEndWithFourForAPatternThatIsNotThereAndWithTwoForAWrongName() throws Exception {
        final Result cat = run("journal", "cat", journal.toString(), "--pattern", "7,99999");
        assertThat(cat.exitCode()).isEqualTo(ExitCode.NOTHING_THERE);
        assertThat(cat.error()).contains("no pattern #99999", "journal stat").doesNotContain("#7");
        assertThat(cat.lines()).hasSize(4 + 1);

        final String file = parent.resolve("lines.csv").toString();
        final Result export = run("journal", "export", journal.toString(), "-o", file, "--pattern", "@0.3");
        assertThat(export.exitCode()).isEqualTo(ExitCode.NOTHING_THERE);
        assertThat(export.error()).contains("no pattern @0.3");

        final Result wrong = run("journal", "cat", journal.toString(), "--pattern", "east");
        assertThat(wrong.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
        assertThat(wrong.error()).contains("'east' is no pattern", "7 or @0.5");
    }

    @Test
    @Tag("long")
    void shouldFollowAJournalUntilItsProcessHasEnded() throws Exception {
        final Path open = parent.resolve("open");
        final Process writer = new ProcessBuilder("sleep", "600").start();
        SmallJournal.writeOpen(open, writer.pid());
        try (SegnoProcess cat =
                SegnoProcess.start(Map.of(), "journal", "cat", open.toString(), "--follow", "--format", "csv")) {
            cat.awaitOutput(2);
            assertThat(cat.process().isAlive()).isTrue();
            writer.destroyForcibly();
            assertThat(cat.exitCode()).as(cat.error()).isZero();
            assertThat(cat.output()).hasSize(1 + 1);
            assertThat(cat.error()).contains("open after 2 records");
        } finally {
            writer.destroyForcibly();
        }
    }

    @Test
    void shouldCountRefusedDescriptorsOfRoundsAsRefusedAlone() throws Exception {
        final Path refused = parent.resolve("refused");
        SmallJournal.writeRefusedRounds(refused);

        final SegnoCall stat = SegnoCall.of("journal", "stat", refused.toString(), "--by", "kind", "--format", "csv");
        assertThat(stat.exitCode()).isZero();
        // Of four PUTs two were refused and one was behind a refused WAIT; of two WAITs one was refused.
        assertThat(stat.lines()).anyMatch(line -> line.startsWith("PUT,1,2,64,2,"));
        assertThat(stat.lines()).anyMatch(line -> line.startsWith("WAIT,1,2,0,1,"));
    }

    @Test
    void shouldExportNothingIntoTheJournal() throws Exception {
        final Path file = file(0);
        final byte[] before = Files.readAllBytes(file);

        final Result export = run("journal", "export", journal.toString(), "-o", file.toString(), "--to", "csv");
        assertThat(export.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
        assertThat(export.error()).contains("outside the journal");
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }

    @Test
    void shouldVerifyACompleteJournal() throws Exception {
        final Result verify = run("journal", "verify", journal.toString());

        assertThat(verify.exitCode()).as(verify.error()).isZero();
        assertThat(verify.lines().get(1)).contains("complete", "8");
        assertThat(verify.lines().get(2)).contains("complete", "4", "3");
    }

    @Test
    @Tag("long")
    void shouldNameFileAndOffsetOfADamageAndPassOnWhatIsBeforeIt() throws Exception {
        final Path file = file(0);
        final long offset = damage(file);

        final Result verify = run("journal", "verify", journal.toString());
        assertThat(verify.exitCode()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(verify.lines().get(1)).contains("damaged", file + ":" + offset, "checksum");
        final Result cat = run("journal", "cat", journal.toString(), "--rank", "0", "--format", "csv");
        assertThat(cat.exitCode()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(cat.lines()).hasSize(4);
        assertThat(cat.error()).contains("damaged after 3 records", file + ":" + offset);
    }

    @Test
    @Tag("long")
    void shouldCountPatternsOfTheSameIndexOneByOne() throws Exception {
        final Path reused = parent.resolve("reused");
        SmallJournal.writeReusedIndex(reused);

        final Result stat = run("journal", "stat", reused.toString(), "--by", "pattern", "--format", "csv");
        assertThat(stat.lines().subList(1, 4))
                .satisfiesExactly(
                        line -> assertThat(line).startsWith("0,#7,1,16,1,1,0"),
                        line -> assertThat(line).startsWith("0,#8,1,16,1,1,0"),
                        line -> assertThat(line).startsWith("0,?,,,0,1,0"));
    }

    @Test
    @Tag("long")
    void shouldReportAJournalWithoutItsLastRecordOrWithoutARank() throws Exception {
        final Path open = parent.resolve("open");
        SmallJournal.write(open, 0, false);

        final Result verify = run("journal", "verify", open.toString());
        assertThat(verify.exitCode()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(verify.lines().get(1)).contains("open", "there is no last record");
        assertThat(verify.lines()).anyMatch(line -> line.contains("the job has 2 ranks"));
        final Result cat = run("journal", "cat", open.toString());
        assertThat(cat.exitCode()).isZero();
        assertThat(cat.error()).contains("not every rank of the job", "open after 7 records", "no last record");
        final Result replay = run("journal", "replay", open.toString());
        assertThat(replay.exitCode()).isEqualTo(ExitCode.NOT_FIT);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"cat", "stat", "verify", "replay"})
    void shouldEndWithFourWithoutAJournal(String command) throws Exception {
        final Result none = run("journal", command, parent.resolve("none").toString());

        assertThat(none.exitCode()).isEqualTo(ExitCode.NOTHING_THERE);
        assertThat(none.error()).contains("no journal");
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"info", "run --dry-run -- true", "journal cat JOURNAL"})
    void shouldLoadNoClassOfTheQueueForCommandsThatDoNotRecord(String command) throws Exception {
        final Path classes = parent.resolve("classes");
        final String options = "-Xlog:class+load:file=" + classes;
        try (SegnoProcess segno = SegnoProcess.start(
                Map.of("JAVA_TOOL_OPTIONS", options),
                command.replace("JOURNAL", journal.toString()).split(" "))) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
        }
        assertThat(Files.readString(classes))
                .contains("org.segno.tools.Segno")
                .doesNotContain("net.openhft", "org.slf4j");
    }

    private Path file(int rank) throws IOException {
        try (Stream<Path> found = Files.list(journal.resolve("rank-" + rank))) {
            return found.filter(each -> each.toString().endsWith(".cq4"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    /** Changes a byte of record 3. Returns the offset of its document. */
    private static long damage(Path file) throws IOException {
        final byte[] bytes = Files.readAllBytes(file);
        int document = 0;
        // A document of ours begins with its length, twice; its record has the sequence number 3.
        while (word(bytes, document) < 72
                || word(bytes, document) != word(bytes, document + 4)
                || word(bytes, document + 12) != 3) {
            document += 4;
        }
        try (RandomAccessFile target = new RandomAccessFile(file.toFile(), "rw")) {
            target.seek(document + 60);
            target.write(bytes[document + 60] ^ 1);
        }
        return document;
    }

    private static int word(byte[] bytes, int at) {
        return (bytes[at] & 0xFF) | (bytes[at + 1] & 0xFF) << 8 | (bytes[at + 2] & 0xFF) << 16 | (bytes[at + 3] << 24);
    }
}
