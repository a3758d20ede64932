package org.segno.tools.observe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.errors.DistinctErrorLog;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;

/** Real command beside a real job. */
final class StatCommandTest {
    @TempDir
    private Path parent = Path.of("");

    @Test
    @Tag("long")
    void shouldNotWaitForTheWriterOfAPipeThatSomebodyHasPutThere() throws Exception {
        final Path elsewhere = Files.createDirectory(parent.resolve("elsewhere"));
        try (WatchedJob job = WatchedJob.start(elsewhere, "--keep")) {
            final Path kept = job.end();
            final Path evil = Files.createDirectory(elsewhere.resolve("segno-nobody-evil-0123456789abcdef"));
            assertThat(new ProcessBuilder("mkfifo", evil.resolve("node-0").toString())
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
            final SegnoProcess beside = WatchedJob.look(elsewhere, "stat");
            assertThat(beside.process().exitValue()).as(beside.error()).isZero();
            assertThat(beside.error()).contains("skipped " + evil.getFileName());

            // With no other job, the command selects this one, and its error is reported. It also finds jobs without a
            // directory, wherever they run: those of other tests end.
            Files.move(kept, parent.resolve("away"));
            final long deadlineNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
            SegnoProcess alone = WatchedJob.look(elsewhere, "stat");
            while (alone.process().exitValue() == 0 && System.nanoTime() - deadlineNs < 0) {
                alone = WatchedJob.look(elsewhere, "stat");
            }
            assertThat(alone.process().exitValue()).as(alone.error()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(alone.error()).contains("node-0 is no node file");
            assertThat(WatchedJob.look(elsewhere, "clean").process().exitValue())
                    .isZero();
        }
    }

    @Test
    @Tag("long")
    void shouldFindAJobWithoutADirectoryAndReportThatItRunsOrIsStopped() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent)) {
            final String name = job.name();
            assertThat(parent).isEmptyDirectory();

            final SegnoProcess running = job.look("stat", name, "--fifos", "--format", "csv");
            assertThat(running.process().exitValue()).as(running.error()).isZero();
            assertThat(running.output())
                    .anyMatch(line -> line.matches("0,\\d+,runs,[0-9.]+,8,32,0,\\d+,0,3,0,0,0%"))
                    .contains("1,0,injection 0,active,2,1024,descriptors,0%")
                    .contains("0,0,lane of 1,active,0,262144,bytes,0%");

            job.signal("STOP");
            final SegnoProcess stopped = job.look("stat", name, "--rank", "1");
            assertThat(stopped.process().exitValue()).as(stopped.error()).isZero();
            assertThat(stopped.output().get(0)).startsWith(name + " · 2 ranks · stopped");
            assertThat(stopped.output()).hasSize(3);
            assertThat(stopped.output().get(2)).contains("stopped");
            job.signal("CONT");
        }
    }

    @Test
    void shouldEqualTheGoldenFile() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent, "--keep")) {
            final String name = job.name();
            job.end();

            final SegnoProcess stat = job.look("stat", name, "--fifos", "--errors", "--format", "json");

            assertThat(stat.process().exitValue()).as(stat.error()).isZero();
            final String json = String.join("\n", stat.output())
                    .replaceAll("\"job\": \"[Ww]atched[Rr]ank-[0-9a-f]{16}\"", "\"job\": \"WatchedRank\"")
                    .replaceAll("\"(pid|layout)\": \\d+", "\"$1\": 1")
                    // The scheduler determines how often the last barrier found no room.
                    .replaceAll("\"blocked\": \\d+", "\"blocked\": 0");
            assertThat(json + "\n").isEqualTo(Files.readString(Path.of("src/test/resources/golden/stat.json")));
        }
    }

    @Test
    @Tag("long")
    void shouldEndWithOneWhenErrorsAreRequestedAndThereAreSome() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent, "--keep")) {
            final Path kept = job.end();
            logAnError(kept.resolve("node-1"), new IllegalStateException("no such luck"));

            final SegnoProcess stat = job.look("stat", kept.toString(), "--errors");
            assertThat(stat.process().exitValue()).as(stat.error()).isEqualTo(ExitCode.NEGATIVE_RESULT);
            assertThat(stat.output())
                    .anyMatch(line -> line.matches(" *1 +1 .* java.lang.IllegalStateException: no such luck"));
            assertThat(job.look("stat", kept.toString()).process().exitValue()).isZero();
            assertThat(job.look("inspect", kept.toString(), "errors", "--id", "0")
                            .output())
                    .anyMatch(line -> line.contains("at org.segno.tools.observe.StatCommandTest"));
        }
    }

    /** Records an error in the log of a node file, as the node itself does. */
    private static void logAnError(Path file, Exception error) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final ByteBuffer header = ByteBuffer.allocate(4096).order(ByteOrder.nativeOrder());
            channel.read(header, 0);
            final long start = header.getLong(512 + 16 * List.of(Part.values()).indexOf(Part.ERROR_LOG));
            final UnsafeBuffer log =
                    new UnsafeBuffer(channel.map(FileChannel.MapMode.READ_WRITE, start, NodeLayout.ERROR_LOG_LENGTH));
            new DistinctErrorLog(log, () -> 1_000, StandardCharsets.UTF_8).record(error);
        }
    }

    @Test
    @Tag("long")
    void shouldWatchUntilTheJobHasEnded() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent);
                SegnoProcess watch = SegnoProcess.start(
                        Map.of("SEGNO_DIR", parent.toString()),
                        "stat",
                        "--watch=20ms",
                        job.name(),
                        "--rates",
                        "--filter",
                        "bytes|rep.*",
                        "--format",
                        "ndjson")) {
            watch.awaitOutput(9);
            job.signal("KILL");

            assertThat(watch.exitCode()).as(watch.error()).isZero();
            assertThat(watch.error()).endsWith("has ended");
            assertThat(watch.output().get(1)).contains("\"bytesPerS\": 0", "\"replaysPerS\": 0");
        }
    }

    @Test
    @Tag("long")
    void shouldListTheChoicesWhenNoJobOrCountMatches() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent)) {
            final SegnoProcess none = job.look("stat", "no-such-job");
            assertThat(none.process().exitValue()).isEqualTo(ExitCode.NOTHING_THERE);
            assertThat(none.error()).contains("no job 'no-such-job'");

            final SegnoProcess noCount = job.look("stat", job.name(), "--filter", "nothing");
            assertThat(noCount.process().exitValue()).isEqualTo(ExitCode.NOTHING_THERE);
            assertThat(noCount.error()).contains("unknownDispatch", "refusedPeerDead");

            final SegnoProcess noRank = job.look("stat", job.name(), "--rank", "7");
            assertThat(noRank.process().exitValue()).isEqualTo(ExitCode.NOTHING_THERE);
            assertThat(noRank.error()).contains("[0, 1]");

            final SegnoProcess wrong = job.look("stat", job.name(), "--filter", "(");
            assertThat(wrong.process().exitValue()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
        }
    }

    @Test
    @Tag("long")
    void shouldCountWhatLinksCarry() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent, "--transport", "aeron")) {
            final SegnoProcess shown = job.look("stat", job.name(), "--links", "--format", "json");

            assertThat(shown.exitCode()).as(shown.error()).isZero();
            final String links = shown.output().get(0).replaceFirst(".*\"links\": \\[", "");
            assertThat(links).contains("\"rank\": 0", "\"rank\": 1", "\"links\": 1", "\"refusedTag\": 0");
            assertThat(links).containsPattern("\"bytesSent\": [1-9]").containsPattern("\"datagramsReceived\": [1-9]");
        }
        try (WatchedJob job = WatchedJob.start(parent)) {
            final SegnoProcess none = job.look("stat", job.name(), "--links", "--format", "json");
            assertThat(none.output().get(0)).contains("\"links\": []");
        }
    }

    @Test
    @Tag("long")
    void shouldListTheJobsWhenSeveralMatch() throws Exception {
        try (WatchedJob one = WatchedJob.start(parent);
                WatchedJob other = WatchedJob.start(parent)) {
            final SegnoProcess several = one.look("stat", one.name().replaceFirst("-[0-9a-f]+$", ""));

            assertThat(several.process().exitValue()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
            assertThat(several.error()).contains(one.name()).contains(other.name());
        }
    }
}
