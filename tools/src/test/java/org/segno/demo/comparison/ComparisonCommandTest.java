package org.segno.demo.comparison;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.demo.DemoCommand;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;
import picocli.CommandLine;

/** The three commands with small problems and a process for each rank. */
class ComparisonCommandTest {
    private static final String FFT = "fft3d --grid 8 --virtual 16";
    private static final String HALO = "halo4d --virtual 12 --bytes 16";
    private static final String SPIKES = "spikes --virtual 12 --cells 30 --targets 5 --spikes 7";

    @TempDir
    Path directory;

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {FFT + " -n 2", HALO + " -n 3", SPIKES + " -n 2"})
    void shouldPrintOneJsonObject(String demo) throws Exception {
        try (SegnoProcess segno = start(demo + " --iterations 5 --format json")) {
            assertEquals(ExitCode.DONE, segno.exitCode(), segno::error);

            assertThat(segno.output()).hasSize(1);
            final String object = segno.output().get(0);
            final String program = demo.substring(0, demo.indexOf(' '));
            assertThat(object)
                    .startsWith("{\"schema\": \"segno-demo-" + program + "-1\", \"program\": \"" + program + "\", ")
                    .contains("\"verified\": true, \"problem\": null, ", "\"exchanges\": [{\"exchange\": ");
            assertThat(number(object, "ranks")).isEqualTo(demo.charAt(demo.length() - 1) - '0');
            for (final String figure : List.of(
                    "checkedValues",
                    "iterations",
                    "messagesPerIteration",
                    "bytesPerIteration",
                    "injectedMicros",
                    "multisendMicros",
                    "replayedMicros",
                    "injectedToReplayed",
                    "multisendToReplayed",
                    "fastReplayedMicros",
                    "sendNanos",
                    "injectedToSend")) {
                assertThat(number(object, figure)).as(figure).isPositive();
            }
        }
        assertThat(directory).isEmptyDirectory();
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {FFT, HALO, SPIKES})
    void shouldRunWithRanksAsThreads(String demo) throws Exception {
        try (SegnoProcess segno = start(demo + " -n 2 --iterations 1 --as threads --tag-output --format json")) {
            assertEquals(ExitCode.DONE, segno.exitCode(), segno::error);

            assertThat(segno.output()).hasSize(1);
            assertThat(segno.output().get(0)).startsWith("[0]<out> {").contains("\"verified\": true, ");
            assertThat(number(segno.output().get(0), "ranks")).isEqualTo(2);
            assertThat(segno.error()).contains("2 ranks ended with 0");
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void shouldPrintATableOfTheThreeModes() throws Exception {
        try (SegnoProcess segno = start(HALO + " -n 1 --iterations 1")) {
            assertEquals(ExitCode.DONE, segno.exitCode(), segno::error);
            assertThat(segno.output().get(0)).endsWith(" · 12 virtual ranks on 1 rank");
            assertThat(String.join("\n", segno.output()))
                    .contains(
                            "verified: ",
                            "8 neighbours in a torus of 3 x 2 x 2 x 1 · 96 messages of 1,536 bytes",
                            "26 neighbours in a torus of 3 x 2 x 2 · 312 messages",
                            "injected one by one",
                            "multisend",
                            "replayed");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fft3d --grid 12: --grid must be a power of two: 12",
                "fft3d --grid 256: --grid must be between 4 and 128: 256",
                "fft3d --virtual 48: --virtual must be a power of two",
                "fft3d --grid 4 --virtual 32: for --grid 4, at most 16: 32",
                "halo4d --bytes 12: --bytes must be a multiple of 8: 12",
                "halo4d -n 5 --virtual 4: --virtual must be between 5 and 4096: 4",
                "spikes --spikes 9 --cells 8: --spikes must be between 1 and 8: 9",
                "spikes --targets 65: --targets must be between 1 and 64: 65",
                "spikes --iterations 0: --iterations must be between 1 and 100000: 0"
            })
    void shouldReportAnInvalidOption(String demo) {
        final int end = demo.indexOf(':');
        final StringWriter errors = new StringWriter();
        final int code = new CommandLine(new DemoCommand())
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setErr(new PrintWriter(errors))
                .execute(demo.substring(0, end).split(" "));

        assertThat(code).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
        assertThat(errors.toString()).contains(demo.substring(end + 2));
    }

    @Test
    @Tag("long")
    void shouldRunNeighboursAndSpikesOnTwoRanksWithoutAName() throws Exception {
        try (SegnoProcess segno = SegnoProcess.startIn(directory, "demo")) {
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(ExitCode.DONE);

            assertThat(String.join("\n", segno.output()))
                    .containsPattern("(?s)26 neighbours.*injected.*multisend.*replayed.*spikes.*replayed");
            assertThat(segno.output().stream().filter(line -> line.startsWith("verified")))
                    .hasSize(2);
            assertThat(segno.error()).contains("2 ranks ended with 0");
        }
    }

    private SegnoProcess start(String demo) throws IOException {
        final List<String> arguments = new ArrayList<>(List.of("demo"));
        arguments.addAll(List.of(demo.split(" ")));
        return SegnoProcess.startIn(directory, arguments.toArray(String[]::new));
    }

    private static double number(String object, String name) {
        final Matcher matcher =
                Pattern.compile("\"" + name + "\": ([-+0-9.E]+)").matcher(object);
        assertThat(matcher.find()).as(name).isTrue();
        return Double.parseDouble(matcher.group(1));
    }
}
