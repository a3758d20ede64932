package org.segno.tools.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;
import org.segno.tools.observe.WatchedJob;

/** Real command beside a real job. */
final class InspectCommandTest {
    private static Path kept = Path.of("");

    @TempDir
    private static Path keptParent = Path.of("");

    @TempDir
    private Path parent = Path.of("");

    @BeforeAll
    static void keepAJob() throws Exception {
        try (WatchedJob job = WatchedJob.start(keptParent, "--keep")) {
            kept = job.end();
        }
    }

    @Test
    @Tag("long")
    void shouldFindNothingBrokenInAJobThatRunsOrIsStopped() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent)) {
            final SegnoProcess running = job.look("inspect", job.name());
            assertThat(running.process().exitValue())
                    .as(running.error() + running.output())
                    .isZero();
            assertThat(running.output().get(0)).matches(job.name() + " · 2 ranks · runs · layout \\d+");
            assertThat(running.output()).last().asString().contains("nothing broken");

            job.signal("STOP");
            final SegnoProcess stopped = job.look("inspect", job.name(), "fifo", "--rank", "1", "--id", "0");
            assertThat(stopped.process().exitValue())
                    .as(stopped.error() + stopped.output())
                    .isZero();
            assertThat(stopped.output().get(0)).contains("stopped");
            assertThat(stopped.output())
                    .anyMatch(line -> line.matches(" *1 +FIFO 0 +160 +quarantine +0 +engine"))
                    .anyMatch(line -> line.matches(" *1 +FIFO 0 +\\d+ +PUT +- +0 +region 0\\+0 +counter 1\\+0 +8 +-"));
            job.signal("CONT");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"all", "pattern"})
    void shouldEqualTheGoldenFile(String topic) throws Exception {
        requireGolden(topic);
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"node", "fifo", "descriptor", "counter", "region", "links", "errors"})
    void shouldEqualTheGoldenFileOfEachOtherTopic(String topic) throws Exception {
        requireGolden(topic);
    }

    private void requireGolden(String topic) throws Exception {
        final String json = topic.equals("all")
                ? look(kept, "--format", "json")
                : look(kept, topic, "--rank", "1", "--format", "json");

        assertThat(json).isEqualTo(Files.readString(Path.of("src/test/resources/golden/inspect-" + topic + ".json")));
    }

    @Test
    @Tag("long")
    void shouldShowOneThingWordByWordAndItsBytes() throws Exception {
        final String directory = kept.toString();

        final SegnoProcess region =
                WatchedJob.look(parent, "inspect", directory, "region", "--id", "1", "--hex", "--limit", "1");
        assertThat(region.output()).anyMatch(line -> line.contains("00 00 00 00 00 00 00 00"));
        final SegnoProcess pattern =
                WatchedJob.look(parent, "inspect", directory, "pattern", "--id", "0", "--rank", "0");
        assertThat(pattern.output())
                .anyMatch(line -> line.matches(" *0 +slot +0 +PUT +alternate +1 .*"))
                .anyMatch(line -> line.matches(" *0 +slot +1 +ARM +alternate .*"));
        final SegnoProcess beyond =
                WatchedJob.look(parent, "inspect", directory, "descriptor", "--id", "0", "--from", "99");
        assertThat(beyond.process().exitValue()).isEqualTo(ExitCode.NOTHING_THERE);
        final SegnoProcess fifo = WatchedJob.look(parent, "inspect", directory, "fifo", "--id", "9999");
        assertThat(fifo.process().exitValue()).isEqualTo(ExitCode.NOTHING_THERE);
        assertThat(fifo.error()).contains("there is no FIFO 9999: rank 0 has 0 to ");
        final SegnoProcess counters =
                WatchedJob.look(parent, "inspect", directory, "counter", "--rank", "0", "--limit", "1");
        assertThat(counters.output()).anyMatch(line -> line.matches("rank 0 .* counters: …\\d+ more .*"));
    }

    @Test
    @Tag("long")
    void shouldReportAMissingNodeFileAndAnUnknownTopic() throws Exception {
        final SegnoProcess none = WatchedJob.look(parent, "inspect", parent.toString());
        assertThat(none.process().exitValue()).isEqualTo(ExitCode.NOTHING_THERE);
        assertThat(none.error()).contains("no node file in " + parent);

        final SegnoProcess noTopic = WatchedJob.look(parent, "inspect", parent.toString(), "fifos");
        assertThat(noTopic.process().exitValue()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
        assertThat(noTopic.error()).contains("'fifos' is not a topic", "pattern, links, errors");
    }

    @Test
    @Tag("long")
    void shouldShowTheLinksOfAJobThatRunsAndOfOneThatWasKept() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent, "--keep", "--transport", "aeron")) {
            final String name = job.name();
            final SegnoProcess running = job.look("inspect", name, "links");
            assertThat(running.process().exitValue())
                    .as(running.error() + running.output())
                    .isZero();
            assertThat(running.output())
                    .anyMatch(line -> line.matches(" *0 +\\d+ +1 .* \\d+  " + parent + "/\\S+/aeron-\\d+/cnc\\.dat"))
                    .anyMatch(line -> line.matches(
                            " *1 +0 +0 +127\\.0\\.0\\.1:\\d+ to 127\\.0\\.0\\.1:\\d+ +[0-9,]+ +[1-9][0-9,]* +[1-9].*"));

            final Path left = job.end();
            final SegnoProcess ended = job.look("inspect", left.toString(), "links", "--rank", "1", "--format", "csv");
            assertThat(ended.process().exitValue())
                    .as(ended.error() + ended.output())
                    .isZero();
            assertThat(ended.output())
                    .anyMatch(line -> line.matches("1,0,0,127\\.0\\.0\\.1:\\d+ to .*"))
                    .noneMatch(line -> line.startsWith("0,"));
        }
    }

    @Test
    @Tag("long")
    void shouldNameCountersOfLinksThatItCannotRead() throws Exception {
        try (WatchedJob job = WatchedJob.start(parent, "--transport", "aeron")) {
            final String name = job.name();
            try (Stream<Path> files = Files.walk(parent)) {
                for (final Path file :
                        files.filter(path -> path.endsWith("cnc.dat")).toList()) {
                    Files.write(file, new byte[Integer.BYTES], StandardOpenOption.WRITE);
                }
            }
            final SegnoProcess damaged = job.look("inspect", name, "--rank", "1");
            assertThat(damaged.process().exitValue()).as(damaged.error()).isEqualTo(ExitCode.NEGATIVE_RESULT);
            assertThat(damaged.output())
                    .anyMatch(line -> line.matches(" *1 +links +cannot read the counters of Aeron's driver .*"));
        }
    }

    private String look(Path directory, String... arguments) throws Exception {
        final List<String> all = new ArrayList<>(List.of("inspect", directory.toString()));
        all.addAll(List.of(arguments));
        final SegnoProcess inspect = WatchedJob.look(parent, all.toArray(String[]::new));
        assertThat(inspect.process().exitValue())
                .as(inspect.error() + inspect.output())
                .isZero();
        return normal(inspect.output());
    }

    /** Replaces values that differ from run to run by fixed ones. */
    private static String normal(List<String> output) {
        return String.join("\n", output)
                        .replaceAll("[Ww]atched[Rr]ank-[0-9a-f]{16}", "WatchedRank")
                        .replaceAll("\"(pid|layout|fileBytes)\": \\d+", "\"$1\": 1")
                        // The engine's own tests check the parts of the file.
                        .replaceAll("\"parts\": \\[[^]]*]", "\"parts\": []")
                        .replaceAll(
                                "(\"word\": \"(magic|pid|process start|heartbeat|layout hash|file length)\", \"value\": )\"-?\\d+\"",
                                "$1\"1\"")
                        .replaceAll("(\"word\": \"job id\", \"value\": )\"[0-9a-f]+\"", "$1\"1\"")
                + "\n";
    }
}
