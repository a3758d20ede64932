package org.segno.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.status.SegnoException;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;

final class SegnoTest {
    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final Console console = Console.on(new PrintStream(printed, true, StandardCharsets.UTF_8), 0);

    @TempDir
    private Path directory = Path.of("");

    @Test
    void shouldPrintHelpAsDataWithAllCommands() throws Exception {
        try (SegnoProcess segno = SegnoProcess.start(Map.of(), "--help")) {
            assertThat(segno.exitCode()).isZero();
            assertThat(String.join("\n", segno.output())).contains(Segno.commands());
            assertThat(segno.error()).isEmpty();
        }
    }

    @Test
    void shouldColourOnlyOnRequestBecauseThisIsNoTerminal() throws Exception {
        try (SegnoProcess plain = SegnoProcess.start(Map.of(), "run", "--help");
                SegnoProcess colored =
                        SegnoProcess.start(Map.of("NO_COLOR", "1"), "--color", "ALWAYS", "run", "--help")) {
            assertThat(plain.exitCode()).isZero();
            assertThat(plain.output().toString()).doesNotContain("\u001b[");
            assertThat(colored.exitCode()).isZero();
            assertThat(colored.output().toString()).contains("\u001b[");
        }
    }

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"--help", "completion bash", "run --dry-run -- true"})
    void shouldEndWithThreeWhenItsOutputIsLost(String arguments) throws Exception {
        try (SegnoProcess segno = SegnoProcess.startWithoutRoom(Map.of(), arguments.split(" "))) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(segno.error())
                    .isEqualTo("segno: the output cannot be written and is lost: No space left on device");
        }
    }

    @Test
    void shouldPrintTheVersion() throws Exception {
        try (SegnoProcess segno = SegnoProcess.start(Map.of(), "--version")) {
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.output()).singleElement().asString().matches("segno .+ · JDK .+");
        }
    }

    @Test
    void shouldReadArgumentsFromAFile() throws Exception {
        final Path file = Files.writeString(directory.resolve("arguments"), "run --help\n");
        try (SegnoProcess segno = SegnoProcess.start(Map.of(), "@" + file)) {
            assertThat(segno.exitCode()).isZero();
            assertThat(segno.output().toString()).contains("--kill-grace");
        }
    }

    @Test
    void shouldEndWithTwoOnAWrongCommandLineAndSuggestTheRightWord() throws Exception {
        try (SegnoProcess unknown = SegnoProcess.start(Map.of(), "runn");
                SegnoProcess none = SegnoProcess.start(Map.of());
                SegnoProcess shortened = SegnoProcess.start(Map.of(), "run", "--kill", "5s", "--", "true")) {
            assertThat(unknown.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
            assertThat(unknown.error()).contains("'runn'").contains("segno run");
            assertThat(unknown.output()).isEmpty();
            assertThat(none.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
            assertThat(shortened.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
        }
    }

    @Test
    void shouldPrintACompletionScriptThatBashReads() throws Exception {
        try (SegnoProcess segno = SegnoProcess.start(Map.of(), "completion", "bash")) {
            assertThat(segno.exitCode()).isZero();
            final Path script = Files.write(directory.resolve("completion"), segno.output());
            assertThat(Files.readString(script)).contains("--kill-grace");
            assertThat(new ProcessBuilder("bash", "-n", script.toString())
                            .inheritIO()
                            .start()
                            .waitFor())
                    .isZero();
        }
    }

    @Test
    void shouldEndWithSeventyOnABugAndNameTheFileWithTheDetails() throws IOException {
        final int exitCode = Segno.failed(
                new IllegalStateException("cannot be"),
                List.of("run", "--keep"),
                Map.of("SEGNO_NP", "3", "TOKEN", "secret"),
                console);

        assertThat(exitCode).isEqualTo(ExitCode.BUG);
        final String text = printed.toString(StandardCharsets.UTF_8);
        final Matcher file =
                Pattern.compile("please report it and attach (\\S+)").matcher(text);
        assertThat(file.find()).as(text).isTrue();
        final Path details = Path.of(file.group(1));
        assertThat(Files.readString(details))
                .contains("cannot be", "[run, --keep]", "SEGNO_NP=3", "at org.segno.tools")
                .doesNotContain("secret");
        Files.delete(details);
    }

    @Test
    void shouldEndWithThreeWhenTheEnvironmentIsNotFitAndPrintTheRemedyAlone() {
        final int exitCode = Segno.failed(new SegnoException("no space, set SEGNO_DIR"), List.of(), Map.of(), console);

        assertThat(exitCode).isEqualTo(ExitCode.NOT_FIT);
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("segno: no space, set SEGNO_DIR\n");
    }
}
