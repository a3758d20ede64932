package org.segno.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.bench.experiment.Cores;
import org.segno.bench.harness.WorkerCores;
import picocli.CommandLine;

/** Shortest runs of the harness with its two processes. Speed is not checked. */
class BenchTest {
    private static final Path MEMORY = Path.of("/dev/shm");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    /**
     * Measures a few experiments. On a busy machine the two processes seldom have their cores at the same time: the
     * limit is for a run that never ends. A run with workers that make no progress ends itself.
     */
    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void shouldMeasureLatencyRateAndBandwidthBetweenTwoProcesses() throws IOException {
        assumeTrue(Cores.allowed().size() >= 2, "two processes that spin need two cores");
        final List<Path> before = runDirectories();

        final int exitCode = quick(
                "--only", "^(limit|Agrona|Aeron).*(_lat|_mr|put_replay_done_10|put_replay_start_10|_bw) (8|65536)$");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString())
                .startsWith("{\"schema\": \"segno-bench-1\", \"version\": ")
                .contains(
                        "\"commit\": ", "\"jdk\": \"" + Runtime.version() + "\"", "\"jvmOptions\": \"-XX:", "\"os\": ")
                .containsPattern("\"cpu\": \"[^\"]+\", \"virtual\": (true|false), \"cores\": \\d+, ");
        final Map<String, Double> medians = medians(out.toString());
        assertThat(medians)
                .containsKeys(
                        "limit: the probe itself am_lat p50",
                        "limit: copy and flag am_lat p99",
                        "limit: bare packed ring am_mr rate",
                        "limit: plain copy put_bw bandwidth",
                        "limit: bare descriptor loop put_replay_done_10 p50",
                        "limit: bare start put_replay_start_10 cost",
                        "limit: bare start, scattered put_replay_start_10 cost",
                        "Agrona OneToOneRingBuffer am_lat p50",
                        "Agrona OneToOneRingBuffer am_mr rate",
                        "Agrona ManyToOneRingBuffer am_lat p50",
                        "Agrona ManyToOneRingBuffer am_mr rate",
                        "Aeron IPC am_lat p50",
                        "Aeron IPC am_mr rate");
        assertThat(medians.values()).allSatisfy(median -> assertThat(median).isPositive());
        // Concurrent runs of other processes may end meanwhile.
        assertThat(before).containsAll(runDirectories());
    }

    /**
     * Measures replies, mixed lengths, several senders and a demo's exchange, and saves the run with all its slices.
     */
    @Test
    @Tag("long")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void shouldMeasureRepliesMixesSendersAndDemosAndSaveTheRun(@TempDir Path directory) throws IOException {
        assumeTrue(Cores.allowed().size() >= 2, "two processes that spin need two cores");

        final int exitCode = quick(
                "--results",
                directory.toString(),
                "--only",
                "^(limit|Agrona|Aeron|Segno INVOKER(?! over)).*(am_reply_lat 8|am_mixed_mr .*|am_senders_2_mr 8|neighbours_8 64|spikes 16)$");

        assertThat(exitCode).as(err.toString()).isZero();
        final Map<String, Double> medians = medians(out.toString());
        assertThat(medians)
                .containsOnlyKeys(
                        "Aeron IPC am_mixed_mr bandwidth",
                        "Aeron IPC am_mixed_mr rate",
                        "Aeron IPC am_reply_lat p50",
                        "Aeron IPC am_reply_lat p99",
                        "Aeron IPC am_senders_2_mr rate",
                        "Aeron IPC, one publication am_senders_2_mr rate",
                        "Agrona ManyToOneRingBuffer am_mixed_mr bandwidth",
                        "Agrona ManyToOneRingBuffer am_mixed_mr rate",
                        "Agrona ManyToOneRingBuffer am_reply_lat p50",
                        "Agrona ManyToOneRingBuffer am_reply_lat p99",
                        "Agrona ManyToOneRingBuffer am_senders_2_mr rate",
                        "Agrona OneToOneRingBuffer am_mixed_mr bandwidth",
                        "Agrona OneToOneRingBuffer am_mixed_mr rate",
                        "Agrona OneToOneRingBuffer am_reply_lat p50",
                        "Agrona OneToOneRingBuffer am_reply_lat p99",
                        "Segno INVOKER am_mixed_mr bandwidth",
                        "Segno INVOKER am_mixed_mr rate",
                        "Segno INVOKER am_reply_lat p50",
                        "Segno INVOKER am_reply_lat p99",
                        "Segno INVOKER am_senders_2_mr rate",
                        "Segno INVOKER injected demo_neighbours_8 until done",
                        "Segno INVOKER injected demo_spikes until done",
                        "Segno INVOKER replayed demo_neighbours_8 until done",
                        "Segno INVOKER replayed demo_spikes until done",
                        "limit: bare copies demo_neighbours_8 until done",
                        "limit: bare packed ring, 1024 KiB am_mixed_mr bandwidth",
                        "limit: bare packed ring, 1024 KiB am_mixed_mr rate",
                        "limit: bare packed ring, 256 KiB am_mixed_mr bandwidth",
                        "limit: bare packed ring, 256 KiB am_mixed_mr rate",
                        "limit: bare packed rings demo_spikes until done");
        assertThat(medians.values()).allSatisfy(median -> assertThat(median).isPositive());
        final List<Path> files;
        try (Stream<Path> list = Files.list(directory)) {
            files = list.toList();
        }
        assertThat(files).hasSize(1);
        assertThat(Files.readString(files.get(0)))
                .contains("\"mpi\": \"", "\"caches\": \"", "\"slices\": [{\"test\": ")
                .containsPattern("\"figures\": \\[[0-9.]+, [0-9.]+, [0-9.]+, [0-9.]+], \"probesNs\": \\[[0-9.]+, ");
        final String file = files.get(0).toString();
        assertThat(bench("compare", file, file)).as(err.toString()).isZero();
        assertThat(out.toString()).containsPattern("am_reply_lat 8, Aeron IPC, p50 .* 1\\.00");
    }

    /** Measures rounds of injected PUTs and of an exchange with neighbours beside bare loops for them. */
    @Test
    @Tag("long")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void shouldMeasureInjectionAndNeighboursBesideBareLoops() throws IOException {
        assumeTrue(Cores.allowed().size() >= 2, "two processes that spin need two cores");

        final int exitCode =
                quick("--only", "^(limit|Segno INVOKER).* (put_inject_(start|done)_1000|many_to_many_replay_26) 8$");

        assertThat(exitCode).as(err.toString()).isZero();
        final Map<String, Double> medians = medians(out.toString());
        assertThat(medians)
                .containsKeys(
                        "Segno INVOKER many_to_many_replay_26 until done",
                        "Segno INVOKER put_inject_done_1000 p50",
                        "Segno INVOKER put_inject_start_1000 cost",
                        "limit: bare injection put_inject_done_1000 p50",
                        "limit: bare injection put_inject_start_1000 cost",
                        "limit: bare stores many_to_many_replay_26 until done");
        assertThat(medians.values()).allSatisfy(median -> assertThat(median).isPositive());
    }

    /** Measures shares, which are counted and not timed: they are the same on a busy machine. */
    @Test
    @Tag("long")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void shouldMeasureTheShareOfAFifoByPriorityAndQuantum() throws IOException {
        assumeTrue(Cores.allowed().size() >= 2, "two processes that spin need two cores");

        final int exitCode = quick("--only", " share_");

        assertThat(exitCode).as(err.toString()).isZero();
        final Map<String, Double> shares = medians(out.toString());
        assertThat(shares.get("Segno INVOKER share_even share")).isCloseTo(0.5, within(0.01));
        assertThat(shares.get("Segno INVOKER share_priority_3 share")).isCloseTo(0.8, within(0.01));
        assertThat(shares.get("Segno INVOKER share_quantum_8 share")).isCloseTo(8 / 9.0, within(0.01));
        assertThat(shares.get("Segno INVOKER share_quantum_bytes_8 share")).isCloseTo(8 / 9.0, within(0.01));
    }

    /** Measures rows of engines on a core of their own. The hidden share may be anything on a busy machine. */
    @Test
    @Tag("long")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void shouldMeasureEnginesOnTheOtherCore() throws IOException {
        assumeTrue(Cores.allowed().size() >= 2, "two processes that spin need two cores");

        final int exitCode = quick(
                "--only",
                "^(limit: bare hand-over|Segno (INVOKER|DEDICATED)).* (put_call|put_seen|put_overlap) (8|65536)$"
                        + "|^Segno SHARED am_(lat|mr) 8$|^Segno SHARED put_lat");

        assertThat(exitCode).as(err.toString()).isZero();
        assertThat(out.toString()).contains("\"engineCores\": \"[]\"", "Segno DEDICATED\", \"metric\": \"hidden\"");
        assertThat(medians(out.toString()))
                .containsKeys(
                        "limit: bare hand-over put_seen until done",
                        "limit: bare hand-over, one line put_seen until done, p99",
                        "Segno INVOKER put_call cost",
                        "Segno DEDICATED put_call cost",
                        "Segno DEDICATED put_seen until done, p99",
                        "Segno DEDICATED put_overlap together",
                        "Segno SHARED am_lat p50",
                        "Segno SHARED am_mr rate",
                        "Segno SHARED put_lat p99");
    }

    /** Measures every kind of row of links over Aeron, bare Aeron and a job with idle links, with one length. */
    @Test
    @Tag("long")
    @Timeout(value = 30, unit = TimeUnit.MINUTES)
    void shouldMeasureLinksOverAeronBesideBareAeron() throws IOException {
        assumeTrue(Cores.allowed().size() >= 2, "two processes that spin need two cores");

        final int exitCode = quick(
                "--only",
                ", MTU 8192 (am_lat|am_mr 64|put_)|beside links|^Segno.*MTU 65504 demo_(neighbours_8|spikes)");

        assertThat(exitCode).as(err.toString()).isZero();
        final Map<String, Double> medians = medians(out.toString());
        assertThat(medians)
                .containsOnlyKeys(
                        "Aeron UDP, MTU 8192 am_lat p50",
                        "Aeron UDP, MTU 8192 am_lat p99",
                        "Aeron UDP, MTU 8192 am_lat_beside_put_1048576 bandwidth",
                        "Aeron UDP, MTU 8192 am_lat_beside_put_1048576 p50",
                        "Aeron UDP, MTU 8192 am_lat_beside_put_1048576 p99",
                        "Aeron UDP, MTU 8192 am_mr rate",
                        "Aeron UDP, MTU 8192 put_bw bandwidth",
                        "Aeron UDP, MTU 8192 put_replay_done_1000 p50",
                        "Aeron UDP, MTU 8192 put_replay_done_1000 p99",
                        "Aeron UDP, a message each, MTU 8192 put_replay_done_1000 p50",
                        "Aeron UDP, a message each, MTU 8192 put_replay_done_1000 p99",
                        "Aeron UDP, packed and copied, MTU 8192 am_mr rate",
                        "Aeron UDP, three streams, MTU 8192 am_lat p50",
                        "Aeron UDP, three streams, MTU 8192 am_lat p99",
                        "Aeron UDP, yielding driver thread, MTU 8192 am_lat p50",
                        "Aeron UDP, yielding driver thread, MTU 8192 am_lat p99",
                        "Segno INVOKER beside links put_lat p50",
                        "Segno INVOKER beside links put_lat p99",
                        "Segno INVOKER over Aeron, MTU 8192 am_lat p50",
                        "Segno INVOKER over Aeron, MTU 8192 am_lat p99",
                        "Segno INVOKER over Aeron, MTU 8192 am_lat_beside_put_1048576 bandwidth",
                        "Segno INVOKER over Aeron, MTU 8192 am_lat_beside_put_1048576 p50",
                        "Segno INVOKER over Aeron, MTU 8192 am_lat_beside_put_1048576 p99",
                        "Segno INVOKER over Aeron, MTU 8192 am_mr rate",
                        "Segno INVOKER over Aeron, MTU 8192 put_bw bandwidth",
                        "Segno INVOKER over Aeron, MTU 8192 put_lat p50",
                        "Segno INVOKER over Aeron, MTU 8192 put_lat p99",
                        "Segno INVOKER over Aeron, MTU 8192 put_replay_done_1000 p50",
                        "Segno INVOKER over Aeron, MTU 8192 put_replay_done_1000 p99",
                        "Segno INVOKER over Aeron, MTU 65504 demo_neighbours_8 until done",
                        "Segno INVOKER over Aeron, MTU 65504 demo_spikes until done",
                        "limit: link without an engine, MTU 8192 am_lat p50",
                        "limit: link without an engine, MTU 8192 am_lat p99",
                        "limit: link without an engine, MTU 8192 am_mr rate",
                        "limit: link without an engine, MTU 8192 put_bw bandwidth");
        assertThat(medians.values()).allSatisfy(median -> assertThat(median).isPositive());
    }

    @Test
    void shouldListTheFullTableOfEnginesWithCoresOfTheirOwn() {
        assertThat(bench("--list", "--only", "DEDICATED")).isZero();
        final long withTwoCores = out.toString().lines().count();
        assertThat(out.toString())
                .contains("Segno DEDICATED, one core am_lat 8")
                .doesNotContain("replay");
        out.getBuffer().setLength(0);

        assertThat(bench("--list", "--free-cores", "--only", "DEDICATED")).isZero();
        assertThat(out.toString().lines().count()).isGreaterThan(withTwoCores);
        assertThat(out.toString())
                .contains(
                        "Segno DEDICATED am_lat 8",
                        "Segno DEDICATED many_to_many_replay_26",
                        "_replay_done_1000 8",
                        "Segno DEDICATED am_senders_4_mr 64",
                        "Segno DEDICATED am_lat_fifos_128 8",
                        "Segno DEDICATED replayed demo_fft",
                        "Segno DEDICATED injected demo_spikes")
                .doesNotContain("one core");
    }

    @Test
    void shouldNameTheCoresThatItNeedsForEnginesOfTheirOwn() throws IOException {
        final int cores = Cores.allowed().size();
        assumeTrue(cores < WorkerCores.FREE_CORES, "with four cores the run would begin");

        assertThat(bench("--free-cores")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("--free-cores needs 4 cores", "this process may use " + cores);
    }

    @Test
    void shouldListTheExperiments() {
        assertThat(bench("--list", "--only", "^Agrona.*am_lat")).isZero();
        assertThat(out.toString().lines())
                .hasSize(8)
                .allSatisfy(line -> assertThat(line).matches("Agrona (One|Many)ToOneRingBuffer am_lat .*"));
    }

    @Test
    void shouldRefuseAWrongCommandLineAndNameTheReason() {
        assertThat(bench("--only", "no such experiment")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(bench("--only", "(")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(bench("--slice-ms", "1000")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(bench("--warm-up", "0")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(bench("--mtu", "1500")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(bench("--namespaces", "a=10.77.0.2")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(bench("--repetitions", "1000000000")).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString())
                .contains("--only matches no experiment", "not a regular expression")
                .contains("must be multiples of 32", "two namespaces and their addresses are needed")
                .contains("; MPI: ", "a slice must be 1 to 50 ms long", "warm-up calls must be at least one: 8, 4, 0")
                .contains("at most 10000 slices: --repetitions 1000000000 times --slices 4");
    }

    /** Measures as shortly as possible, and prints JSON. */
    private int quick(String... arguments) {
        final List<String> all =
                new ArrayList<>(List.of("--quick", "--warm-up", "10", "--slice-ms", "1", "--format", "json"));
        all.addAll(List.of(arguments));
        return bench(all.toArray(String[]::new));
    }

    private int bench(String... arguments) {
        return new CommandLine(new Bench())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    /** Reads the rows by their fields, so that a missing or renamed field is a missing row. */
    private static Map<String, Double> medians(String json) {
        final Pattern object = Pattern.compile("\\{\"test\": \"([^\"]*)\", \"size\": \\d+, \"peer\": \"([^\"]*)\", "
                + "\"metric\": \"([^\"]*)\", \"best\": [0-9.E-]+, \"median\": ([0-9.E-]+), \"worst\": [0-9.E-]+, "
                + "\"unit\": \"[^\"]+\", \"xProbe\": (?:null|[0-9.E-]+), \"state\": \"(near|far|mixed)\", "
                + "\"slices\": [1-9]\\d*}");
        final Map<String, Double> medians = new TreeMap<>();
        final Matcher matcher = object.matcher(json);
        while (matcher.find()) {
            medians.put(
                    matcher.group(2) + " " + matcher.group(1) + " " + matcher.group(3),
                    Double.valueOf(matcher.group(4)));
        }
        assertThat(json.split("\"test\": ", -1)).hasSize(medians.size() + 1);
        return medians;
    }

    private static List<Path> runDirectories() throws IOException {
        if (!Files.isDirectory(MEMORY)) {
            return new ArrayList<>();
        }
        try (Stream<Path> files = Files.list(MEMORY)) {
            return files.filter(file -> file.getFileName().toString().startsWith("segno-bench-"))
                    .sorted()
                    .toList();
        }
    }
}
