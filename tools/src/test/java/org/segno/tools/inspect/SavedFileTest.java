package org.segno.tools.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.saved.SavedPatterns;
import org.segno.status.Deadline;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;
import org.segno.tools.observe.WatchedJob;

/** Real command on a file that a real job has saved, whole and damaged. */
@Timeout(120)
final class SavedFileTest {
    private static final int VERSION_OFFSET = 12;

    private static byte[] whole = {};
    private static byte[] withMulticast = {};

    @TempDir
    private Path directory = Path.of("");

    private Path file = Path.of("");

    @BeforeAll
    static void save(@TempDir Path parent) throws IOException {
        final Path saved = parent.resolve("patterns.0");
        final NodeConfig config = NodeConfig.defaults().withWindowBytes(4096).withThreading(Threading.INVOKER);
        try (Node node = Node.join(JobConfig.of("saving", 0, 1).withDirectory(parent), config)) {
            final Client client = node.client();
            final Context context = client.context();
            final Window window = client.window(1024);
            final CounterPair pair = client.counterPair(window, 0, 128, 64);
            client.publish("halo", pair);
            final Target halo = context.attach(0, "halo", Deadline.in(30, TimeUnit.SECONDS));
            final Pattern exchange = context.record(7, Rounds.ALTERNATE, () -> {
                context.expect(pair, 48);
                context.put(halo, 0, window, 512, 32);
                context.put(halo, 32, window, 544, 16);
            });
            context.await(exchange, 1, Deadline.in(30, TimeUnit.SECONDS));
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
            context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
                context.sendImmediate(0, 3, bytes, 0, 20);
                context.copy(window, 512, window, 256, 8);
            });
            SavedPatterns.save(client, saved);
            final Message message =
                    new Message().to(0, 4).metadata(window, 0, 16).payload(window, 64, 10);
            final long[] endpoints = new long[8];
            context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
                context.multicast(message, endpoints, 0, 5);
                context.multicast(message, endpoints, 5, 3);
            });
            SavedPatterns.save(client, parent.resolve("with-multicast.0"));
        }
        withMulticast = Files.readAllBytes(parent.resolve("with-multicast.0"));
        whole = Files.readAllBytes(saved);
    }

    private SegnoProcess inspect(byte[] bytes, String... arguments) throws Exception {
        file = directory.resolve("patterns.0");
        Files.write(file, bytes);
        return inspect(file, arguments);
    }

    private SegnoProcess inspect(Path some, String... arguments) throws Exception {
        final String[] all = new String[arguments.length + 2];
        all[0] = "inspect";
        all[1] = some.toString();
        System.arraycopy(arguments, 0, all, 2, arguments.length);
        return WatchedJob.look(directory, all);
    }

    private List<String> lines(String... arguments) throws Exception {
        final SegnoProcess inspect = inspect(whole, arguments);
        assertThat(inspect.process().exitValue()).as(inspect.error()).isZero();
        return inspect.output().stream()
                .map(line -> line.replace(file.toString(), "FILE").replaceAll(" +", " "))
                .toList();
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(booleans = {true, false})
    void shouldShowThePatternsOfAFile(boolean withTopic) throws Exception {
        assertThat(withTopic ? lines("pattern") : lines())
                .containsExactly(
                        "FILE · version 3 · rank 0 of 1 · the node's own client · 2 patterns",
                        "patterns, as they were saved",
                        "rank context index id executed started first descriptors bytes targets rounds error",
                        " 0 0 0 -1 - - 0 2 28 0 ordered by caller -",
                        " 0 0 1 7 - - 2 3 48 0 alternate -");
    }

    @Test
    void shouldEqualTheGoldenFile() throws Exception {
        requireGolden("json");
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"csv", "ndjson"})
    void shouldEqualTheGoldenFileOfOtherFormats(String format) throws Exception {
        requireGolden(format);
    }

    private void requireGolden(String format) throws Exception {
        assertThat(String.join("\n", lines("--id", "1", "--format", format)) + "\n")
                .isEqualTo(Files.readString(Path.of("src/test/resources/golden/inspect-saved." + format)));
    }

    @Test
    @Tag("long")
    void shouldShowAllTargetsOfAMulticast() throws Exception {
        final SegnoProcess inspect = inspect(withMulticast, "--id", "0");
        assertThat(inspect.output().stream().map(line -> line.replaceAll(" +", " ")))
                .contains(
                        " 0 slot 0 MULTICAST metadata 0:0 0:0 0:0 0:0 0:0 region 0+64 dispatch 4 10 -",
                        " 0 slot 1 MULTICAST metadata 0:0 0:0 0:0 region 0+64 dispatch 4 10 -")
                .anySatisfy(line -> assertThat(line).endsWith(" 2 80 0 ordered by caller -"));
    }

    @Test
    @Tag("long")
    void shouldListTheDescriptorsOfOne() throws Exception {
        assertThat(lines("pattern", "--id", "1", "--from", "3", "--limit", "1"))
                .contains(" 0 slot 3 PUT alternate 0 region 0+544 counter 1+32 16 -", "…1 more (--limit 0 for all)");
        assertThat(lines("--limit", "1")).contains("…1 more (--limit 0 for all)");
        assertThat(lines("--rank", "0-3")).hasSize(5);
    }

    @Test
    @Tag("long")
    void shouldReportMissingItemsAndInvalidRequests() throws Exception {
        expect(
                inspect(whole, "--id", "2"),
                ExitCode.NOTHING_THERE,
                "no pattern of index 2 in " + file + ", which has 2");
        expect(inspect(whole, "--rank", "1"), ExitCode.NOTHING_THERE, "has the patterns of rank 0");
        expect(inspect(whole, "fifo"), ExitCode.WRONG_COMMAND_LINE, file + " is a file", "not fifo");
        expect(inspect(whole, "--hex"), ExitCode.WRONG_COMMAND_LINE, "--hex", file.toString());
        expect(inspect(directory.resolve("none")), ExitCode.NOTHING_THERE, "none");
        expect(inspect(directory), ExitCode.NOTHING_THERE, "no node file in " + directory);
    }

    @Test
    @Tag("long")
    void shouldEndWithThreeAndTheRemedyIfTheFileIsDamaged() throws Exception {
        final byte[] damaged = whole.clone();
        damaged[whole.length / 2] ^= 1;
        expectUnfit(inspect(damaged), "is damaged: its check sum does not match its bytes");
        expectUnfit(inspect(Arrays.copyOf(whole, whole.length - 1)), "is damaged: it has " + (whole.length - 1));
        expectUnfit(inspect(Arrays.copyOf(whole, 8)), "is damaged: it has 8 bytes, but a header has 32");
        expectUnfit(inspect(new byte[0]), "is damaged: it has 0 bytes");
        expectUnfit(
                inspect("a letter, and no file of patterns at all".getBytes(StandardCharsets.UTF_8)),
                "is not a file of patterns: it does not begin with SEGNOPAT");
        final byte[] newer = whole.clone();
        newer[VERSION_OFFSET] = 9;
        expectUnfit(inspect(newer, "pattern", "--format", "json"), "has version 9, but this library reads version 3");
    }

    private void expectUnfit(SegnoProcess inspect, String why) throws Exception {
        expect(inspect, ExitCode.NOT_FIT, file + " " + why, "save the patterns again");
        assertThat(inspect.output()).isEmpty();
    }

    /** Opening a pipe blocks until it has a writer, and a device has no end. */
    @ParameterizedTest
    @Tag("long")
    @CsvSource({"mkfifo, patterns.0", "ln -s /dev/zero, patterns.0", "ln -s /dev/full, patterns.0"})
    void shouldRefuseAPipeOrADeviceWithoutWaitingForIt(String command, String name) throws Exception {
        assertThat(new ProcessBuilder("sh", "-c", command + " " + name)
                        .directory(directory.toFile())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();

        expect(
                inspect(directory.resolve(name)),
                ExitCode.NOT_FIT,
                name + " is not a file of patterns but a directory, a pipe");
    }

    /** A file that is too large for saved patterns is not read to its end. */
    @Test
    void shouldRefuseAForeignFileOfAnyLength() throws Exception {
        final Path large = directory.resolve("large");
        try (RandomAccessFile sparse = new RandomAccessFile(large.toFile(), "rw")) {
            sparse.setLength(1L << 40);
        }
        expect(inspect(large), ExitCode.NOT_FIT, "does not begin with SEGNOPAT");
    }

    private static void expect(SegnoProcess inspect, int code, String... words) {
        assertThat(inspect.process().exitValue()).as(inspect.error()).isEqualTo(code);
        assertThat(inspect.error()).contains(words);
    }
}
