package org.segno.tools.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.descriptor.Operation;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;
import org.segno.tools.journal.JournalEnd.State;

/** Real jobs whose traffic is recorded. */
class RecordingTest {
    private static final int ROUNDS = 50;
    private static final long ENDLESS = 1L << 40;

    @TempDir
    Path parent;

    @Test
    void shouldRecordEveryDescriptorAndRoundOfAJobAndReplayIt() throws Exception {
        final Path directory = parent.resolve("journal");
        try (SegnoProcess run = run("all=" + directory, ROUNDS, "--record-payload")) {
            assertThat(run.exitCode()).as(run.error()).isZero();
            assertThat(run.error()).doesNotContain("lacks", "SLF4J", "WARNING");
        }
        final int[] counts = new int[3];
        long payloads = 0;
        try (Journal journal = Journal.open(directory, rank -> rank == 1)) {
            for (JournalRecord record = journal.next(); record != null; record = journal.next()) {
                for (int i = 0; record.kind() == RecordKind.DESCRIPTORS && i < record.descriptors(); i++) {
                    final int operation = record.descriptor(i).operation();
                    counts[0] += operation == Operation.COUNT ? 1 : 0;
                    counts[1] += operation == Operation.PUT ? 1 : 0;
                }
                counts[2] += record.kind() == RecordKind.ROUND ? 1 : 0;
                payloads += record.payload().length;
            }
            assertThat(journal.ends()).extracting(JournalEnd::state).containsExactly(State.COMPLETE);
            assertThat(journal.headers().get(0).size()).isEqualTo(2);
        }
        // One COUNT for each barrier, one PUT in the recorded round, and its bytes in each round.
        assertThat(counts[0]).isEqualTo(ROUNDS);
        assertThat(counts[1]).isEqualTo(1);
        assertThat(counts[2]).isEqualTo(ROUNDS);
        assertThat(payloads).isEqualTo(24L * ROUNDS);

        try (SegnoProcess replay = SegnoProcess.startIn(
                parent, "journal", "replay", directory.toString(), "--speed", "max", "--verify", "--times", "3")) {
            assertThat(replay.exitCode()).as(replay.error()).isZero();
            assertThat(replay.output().toString()).contains("#5", "49 rounds", "verified");
        }
    }

    /** The replay is recorded as well: it has moved the same bytes by descriptors of the same kinds. */
    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"shm", "aeron"})
    void shouldSendTheRecordedPayloadsAgain(String transport) throws Exception {
        final Path first = parent.resolve("first");
        try (SegnoProcess run = run(BusyRank.class, "all=" + first, 1, "--record-payload")) {
            assertThat(run.exitCode()).as(run.error()).isZero();
        }
        final Path second = parent.resolve("second");
        try (SegnoProcess replay = SegnoProcess.startIn(
                parent,
                "journal",
                "replay",
                first.toString(),
                "--speed",
                "max",
                "--verify",
                "--times",
                "0",
                "--transport",
                transport,
                "--record",
                "all=" + second,
                "--record-payload")) {
            assertThat(replay.exitCode()).as(replay.error()).isZero();
            assertThat(replay.output().toString()).contains("4 rounds", "0 local ones omitted, verified");
        }
        // PUTs and SENDs of the recorded round are injected again, before those that are replayed.
        final SortedMap<String, Integer> moved = payloads(first);
        assertThat(payloads(second)).isEqualTo(moved);
        // A rank moves eight payloads and two metadata outside its pattern, and two payloads in each of five rounds.
        assertThat(moved.values().stream().mapToInt(Integer::intValue).sum()).isEqualTo(2 * (8 + 2 + 2 * 5));
    }

    /** Returns how often each payload, or metadata that lay in memory, was moved by a rank. */
    private static SortedMap<String, Integer> payloads(Path directory) {
        final SortedMap<String, Integer> payloads = new TreeMap<>();
        final Map<String, ByteArrayOutputStream> parts = new HashMap<>();
        try (Journal journal = Journal.open(directory)) {
            for (JournalRecord record = journal.next(); record != null; record = journal.next()) {
                if (record.kind() == RecordKind.PAYLOAD) {
                    final String key = record.rank() + " " + record.fifo() + " " + record.generation() + " "
                            + record.position() + " " + record.isMetadata();
                    parts.computeIfAbsent(key, ignored -> new ByteArrayOutputStream())
                            .writeBytes(record.payload());
                }
                assertThat(record.kind()).isNotEqualTo(RecordKind.LOST);
            }
        }
        parts.forEach((key, bytes) -> payloads.merge(
                key.charAt(0) + " " + bytes.size() + " bytes, hash " + Arrays.hashCode(bytes.toByteArray()),
                1,
                Integer::sum));
        return payloads;
    }

    @Test
    @Tag("long")
    void shouldReplayAPatternThatIsLongerThanTheDefaultBuffer() throws Exception {
        final Path directory = parent.resolve("journal");
        try (SegnoProcess run = SegnoProcess.startIn(
                parent,
                "run",
                "-n",
                "1",
                "--record",
                "all=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                LongPatternRank.class.getName())) {
            assertThat(run.exitCode()).as(run.error()).isZero();
        }
        try (SegnoProcess replay = SegnoProcess.startIn(
                parent,
                "journal",
                "replay",
                directory.toString(),
                "--speed",
                "max",
                "--verify",
                "--times",
                "1",
                "--pattern",
                "@0.0")) {
            assertThat(replay.exitCode()).as(replay.error()).isZero();
            assertThat(replay.output().toString())
                    .contains("@0.0", String.format(Locale.ROOT, "%,d", LongPatternRank.DESCRIPTORS), "1 rounds");
        }
    }

    @Test
    @Tag("long")
    void shouldRecordPatternsAlone() throws Exception {
        final Path directory = parent.resolve("journal");
        try (SegnoProcess run = run("pattern=" + directory, ROUNDS)) {
            assertThat(run.exitCode()).as(run.error()).isZero();
        }
        try (Journal journal = Journal.open(directory)) {
            final List<RecordKind> kinds = new ArrayList<>();
            for (JournalRecord record = journal.next(); record != null; record = journal.next()) {
                assertThat(record.isOfPattern() || record.kind() == RecordKind.END)
                        .isTrue();
                kinds.add(record.kind());
            }
            assertThat(kinds).filteredOn(RecordKind.ROUND::equals).hasSize(2 * ROUNDS);
            assertThat(kinds).filteredOn(RecordKind.SECTION::equals).hasSize(2);
        }
    }

    @Test
    @Tag("long")
    void shouldKeepWhatWasWrittenBeforeARankIsKilledAndSayWhereItEnds() throws Exception {
        final Path directory = parent.resolve("journal");
        try (SegnoProcess run = run("all=" + directory, ENDLESS);
                SegnoProcess follow = follow(directory)) {
            follow.awaitOutput(200);
            for (int rank = 0; rank < 2; rank++) {
                final String line = "\\d+,[-0-9.]+," + rank + ",.*";
                SegnoProcess.await(
                        () -> follow.awaitOutput(1).stream().anyMatch(each -> each.matches(line)),
                        "a line of rank " + rank);
            }
            run.process().descendants().forEach(ProcessHandle::destroyForcibly);
            assertThat(run.exitCode()).isNotZero();
        }
        try (SegnoProcess verify = SegnoProcess.start(Map.of(), "journal", "verify", directory.toString())) {
            assertThat(verify.exitCode()).isEqualTo(ExitCode.NEGATIVE_RESULT);
            assertThat(verify.output().toString()).contains("open", ".cq4:").doesNotContain("damaged");
        }
        long records = 0;
        try (Journal journal = Journal.open(directory)) {
            while (journal.next() != null) {
                records++;
            }
            assertThat(journal.ends()).extracting(JournalEnd::state).containsOnly(State.OPEN);
        }
        assertThat(records).isGreaterThan(100);
    }

    /** Engines may still run while the JVM shuts down. */
    @Test
    @Tag("long")
    void shouldKeepWhatWasWrittenBeforeRanksExitAndLeaveTheJournalOpen() throws Exception {
        final Path directory = parent.resolve("journal");
        try (SegnoProcess run = SegnoProcess.startIn(
                parent,
                "run",
                "-n",
                "2",
                "--record",
                "all=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                RecordedRank.class.getName(),
                Integer.toString(ROUNDS),
                "exit")) {
            assertThat(run.exitCode())
                    .as("of ranks that end without closing their nodes")
                    .isNotNegative();
        }
        int rounds = 0;
        try (Journal journal = Journal.open(directory)) {
            for (JournalRecord record = journal.next(); record != null; record = journal.next()) {
                rounds += record.kind() == RecordKind.ROUND ? 1 : 0;
            }
            assertThat(journal.ends()).extracting(JournalEnd::state).containsOnly(State.OPEN);
        }
        assertThat(rounds).isEqualTo(2 * ROUNDS);
    }

    @Test
    void shouldRefuseADirectoryThatIsNotEmptyAndAMalformedOption() throws Exception {
        Files.writeString(parent.resolve("file"), "");
        try (SegnoProcess used = run("all=" + parent, 1);
                SegnoProcess malformed = run("everything=" + parent.resolve("journal"), 1)) {
            assertThat(used.exitCode()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(used.error()).contains("not empty: " + parent);
            assertThat(malformed.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
            assertThat(malformed.error()).contains("--record must be all=DIR or pattern=DIR");
        }
    }

    @Test
    void shouldGiveTheRanksTheOptionsTheClassPathAndTheVariablesOfTheRecorder() throws Exception {
        try (SegnoProcess run = SegnoProcess.start(
                Map.of(),
                "run",
                "-n",
                "1",
                "--dry-run",
                "--record",
                "all=" + parent.resolve("a"),
                "--record-sync",
                "5ms",
                "-cp",
                parent.toString(),
                "Main")) {
            assertThat(run.exitCode()).as(run.error()).isZero();
            assertThat(run.output().get(0))
                    .contains("SEGNO_RECORD=all=" + parent.resolve("a"), "SEGNO_RECORD_SYNC=5ms")
                    .contains("--add-opens=java.base/java.lang.reflect=ALL-UNNAMED")
                    .containsPattern("-cp \\S*" + parent + ":\\S+ Main");
        }
        assertThat(parent.resolve("a")).doesNotExist();
    }

    private SegnoProcess follow(Path directory) throws Exception {
        SegnoProcess.await(
                () -> Files.isDirectory(directory.resolve("rank-0")) || Files.isDirectory(directory.resolve("rank-1")),
                "the journal of a rank");
        return SegnoProcess.start(Map.of(), "journal", "cat", directory.toString(), "--follow", "--format", "csv");
    }

    private SegnoProcess run(String record, long rounds, String... options) throws Exception {
        return run(RecordedRank.class, record, rounds, options);
    }

    private SegnoProcess run(Class<?> program, String record, long rounds, String... options) throws Exception {
        final List<String> arguments = new ArrayList<>(List.of("run", "-n", "2", "--record", record));
        arguments.addAll(List.of(options));
        arguments.addAll(
                List.of("-cp", System.getProperty("java.class.path"), program.getName(), Long.toString(rounds)));
        return SegnoProcess.startIn(parent, arguments.toArray(String[]::new));
    }
}
