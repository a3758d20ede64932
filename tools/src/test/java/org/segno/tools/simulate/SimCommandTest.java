package org.segno.tools.simulate;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.simulator.Fault;
import org.segno.simulator.Guarantee;
import org.segno.simulator.Workload;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;

/** Real command, with the engine as it is and with a defective one. */
final class SimCommandTest {
    private static final Pattern HASH = Pattern.compile("event hash ([0-9a-f]{16})");

    @TempDir
    private Path directory = Path.of("");

    private static SegnoProcess sim(String arguments) throws Exception {
        return ended(SegnoProcess.start(Map.of(), ("sim " + arguments).split(" ")));
    }

    private static SegnoProcess ended(SegnoProcess process) throws Exception {
        try (process) {
            process.exitCode();
            return process;
        }
    }

    private static String hash(SegnoProcess sim) {
        assertThat(sim.process().exitValue()).as(sim.error()).isZero();
        final Matcher matcher = HASH.matcher(String.join("\n", sim.output()));
        assertThat(matcher.find()).isTrue();
        return matcher.group(1);
    }

    /** Figures that a change of the engine's passes may change are masked. */
    @Test
    void shouldEqualTheGoldenFile() throws Exception {
        final SegnoProcess sim = sim("--nodes 3 --operations 60 --seeds 5..7 --faults stall,pause --format json");

        assertThat(sim.process().exitValue()).as(sim.error()).isZero();
        assertThat(sim.error()).isEmpty();
        final String json = String.join("\n", sim.output())
                .replaceAll("\"eventHash\": \"[0-9a-f]{16}\"", "\"eventHash\": \"1\"")
                .replaceAll(
                        "\"(messages|checks|virtualMicros|wallSeconds|schedulesPerSecond)\": [0-9][-0-9.E]*",
                        "\"$1\": 1");
        assertThat(json + "\n").isEqualTo(Files.readString(Path.of("src/test/resources/golden/sim.json")));
    }

    @Test
    @Tag("long")
    void shouldGoTheSameWayForTheSameSeedOnly() throws Exception {
        final String first = hash(sim("--nodes 2 --operations 50 --seed 9"));

        assertThat(hash(sim("--nodes 2 --operations 50 --seeds 9..9"))).isEqualTo(first);
        assertThat(hash(sim("--nodes 2 --operations 50"))).isNotEqualTo(first);
    }

    @Test
    @Tag("long")
    void shouldBoundOperationsAndBuffers() throws Exception {
        final String plan = "--nodes 2 --operations 500 --size 100 --fifo-slots 8 --format json";
        final String json = json(plan);
        final int untilUs = (int) (figure(json, "virtualMicros") / 2);
        final String bounded = json(plan + " --until " + untilUs + "us");

        assertThat(json).contains("\"untilMicros\": null, \"size\": 100, \"fifoSlots\": 8");
        assertThat(figure(bounded, "untilMicros")).isEqualTo(untilUs);
        assertThat(figure(bounded, "messages")).isLessThan(figure(json, "messages"));
    }

    private static String json(String arguments) throws Exception {
        final SegnoProcess sim = sim(arguments);
        assertThat(sim.process().exitValue()).as(sim.error()).isZero();
        return String.join("", sim.output());
    }

    private static double figure(String json, String name) {
        final Matcher matcher = Pattern.compile("\"" + name + "\": ([0-9.E]+)").matcher(json);
        assertThat(matcher.find()).as(json).isTrue();
        return Double.parseDouble(matcher.group(1));
    }

    @Test
    @Tag("long")
    void shouldPrintARowForEachSeedInTheirOrder() throws Exception {
        final SegnoProcess sim = sim("--nodes 2 --operations 20 --seeds -2..40 --faults swarm --format csv");

        assertThat(sim.process().exitValue()).as(sim.error()).isZero();
        assertThat(sim.output().get(0))
                .isEqualTo("seed,faults,messages,virtualMicros,checks,eventHash,defects,firstDefect");
        assertThat(sim.output()).hasSize(44);
        for (int seed = -2; seed <= 40; seed++) {
            assertThat(sim.output().get(seed + 3)).startsWith(seed + ",").endsWith(",0,");
        }
    }

    @Test
    void shouldWriteATraceOfVirtualMicroseconds() throws Exception {
        final Path file = directory.resolve("trace.json");
        final SegnoProcess sim = sim("--nodes 2 --operations 30 --seed 4 --trace " + file);

        assertThat(sim.process().exitValue()).as(sim.error()).isZero();
        final List<String> lines = Files.readAllLines(file);
        assertThat(lines.get(0)).isEqualTo("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
        assertThat(lines.get(lines.size() - 1)).isEqualTo("]}");
        assertThat(lines.get(3))
                .isEqualTo("{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 0, \"tid\": 1, "
                        + "\"args\": {\"name\": \"rank 1\"}},");
        final List<String> events = lines.subList(4, lines.size() - 1);
        assertThat(events)
                .hasSizeGreaterThan(30)
                .allMatch(line ->
                        line.matches("\\{\"name\": \"[a-z_]+\", \"ph\": \"i\", \"s\": \"[tp]\", \"ts\": [0-9.]+, "
                                + "\"pid\": 0, \"tid\": [01], \"args\": \\{\"text\": \"[^\"]*\"}},?"));
        assertThat(events.subList(0, events.size() - 1)).allMatch(line -> line.endsWith(","));
        assertThat(events.get(events.size() - 1)).endsWith("}");
    }

    @Test
    void shouldEndWithThreeWhenTheTraceCannotBeWritten() throws Exception {
        final SegnoProcess sim = sim("--nodes 2 --operations 5 --trace " + directory.resolve("none/trace.json"));

        assertThat(sim.process().exitValue()).isEqualTo(ExitCode.NOT_FIT);
        assertThat(sim.error()).contains("cannot write the trace").contains("none/trace.json");
    }

    @Test
    void shouldListWhatExists() throws Exception {
        final String help = String.join(" ", sim("--help").output()).replaceAll("\\s+", " ");

        assertThat(Stream.of(Fault.values(), Guarantee.values(), Workload.values())
                        .flatMap(Stream::of)
                        .map(constant -> ConstantList.text((Enum<?>) constant)))
                .allMatch(help::contains);
        assertThat(help).contains("small, wrap.").doesNotContain("--torus", "--journal", "--routing", "--plot");
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(
            strings = {
                "",
                "--nodes 0",
                "--nodes 257",
                "--nodes 2 --operations -1",
                "--nodes 2 --until 10",
                "--nodes 2 --size 0",
                "--nodes 2 --size 1025",
                "--nodes 2 --fifo-slots 3",
                "--nodes 2 --fifo-slots 2048",
                "--nodes 2 --workload torus",
                "--nodes 2 --faults swam",
                "--nodes 2 --faults stall,",
                "--nodes 2 --check replay",
                "--nodes 2 --check ^order,^delivery,^counter",
                "--nodes 2 --seeds 5..4",
                "--nodes 2 --seeds 5",
                "--nodes 2 --seeds 1..2 --seed 1",
                "--nodes 2 --seeds 1..2 --trace t.json"
            })
    void shouldEndWithTwoOnAWrongCommandLine(String arguments) throws Exception {
        final SegnoProcess sim =
                ended(SegnoProcess.start(Map.of(), ("sim " + arguments).trim().split(" ")));

        assertThat(sim.process().exitValue()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
        assertThat(sim.error()).contains("see 'segno sim --help'");
        assertThat(sim.output()).isEmpty();
    }

    @Test
    @Tag("long")
    void shouldReduceADefectOfTheEngineToACommandThatRepeatsIt() throws Exception {
        final Path classes = DefectiveEngine.compile(directory);
        final SegnoProcess failed = ended(SegnoProcess.startWithClasses(
                classes, "sim --nodes 6 --operations 600 --seeds 9..12 --faults ^crash,^cut".split(" ")));

        assertThat(failed.process().exitValue()).as(failed.error()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(failed.output().get(1)).endsWith("4 of 4 seeds failed");
        final String repeat = failed.output().get(failed.output().size() - 1);
        final Matcher command = Pattern.compile(
                        "segno (sim --nodes ([12]) --workload mixed --operations (\\d+) --seed 9 --faults none)")
                .matcher(repeat);
        assertThat(command.matches()).as(repeat).isTrue();
        assertThat(Integer.parseInt(command.group(3))).isBetween(1, 60);

        final SegnoProcess repeated =
                ended(SegnoProcess.startWithClasses(classes, (command.group(1) + " --format json").split(" ")));
        assertThat(repeated.process().exitValue()).as(repeated.error()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(repeated.error()).contains("was counted down by").endsWith("to repeat it: " + repeat);
        assertThat(repeated.output().get(0)).contains("\"failedSeeds\": 1").contains("\"repeat\": \"" + repeat + "\"");

        final SegnoProcess right = sim(command.group(1).replace("sim ", ""));
        assertThat(right.process().exitValue()).as(right.error()).isZero();
    }

    @Test
    @Tag("long")
    void shouldCountOnlyTheDefectsOfTheChosenChecks() throws Exception {
        final Path classes = DefectiveEngine.compile(directory);
        final String plan = "sim --nodes 2 --operations 100 --until 10s --size 1k --fifo-slots 16 --check ";

        final SegnoProcess order = ended(SegnoProcess.startWithClasses(classes, (plan + "order").split(" ")));
        assertThat(order.process().exitValue()).as(order.error()).isZero();
        assertThat(order.output().get(1)).endsWith("checks of order: fine");

        final SegnoProcess counter = ended(SegnoProcess.startWithClasses(classes, (plan + "counter").split(" ")));
        assertThat(counter.process().exitValue()).isEqualTo(ExitCode.NEGATIVE_RESULT);
        assertThat(counter.output().get(counter.output().size() - 1))
                .endsWith(" --until 10000000us --fifo-slots 16 --check counter");
    }
}
