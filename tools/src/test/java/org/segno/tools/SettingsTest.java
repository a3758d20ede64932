package org.segno.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.job.SettingNames;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.Console;
import org.segno.tools.command.ExitCode;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

final class SettingsTest {
    private final Properties properties = new Properties();

    @TempDir
    private Path directory = Path.of("");

    @Test
    void shouldListEveryOptionOfEveryCommand() {
        final CommandLine all = Segno.commandLine(new String[0], Map.of());

        assertThat(all.getSubcommands()).hasSameSizeAs(Segno.commands());
        final Set<String> names = new TreeSet<>();
        addOptions(all, names);
        assertThat(names).isEqualTo(new TreeSet<>(SettingNames.ofOptions()));
    }

    private void addOptions(CommandLine commandLine, Set<String> names) {
        for (final OptionSpec option : commandLine.getCommandSpec().options()) {
            final String name = Settings.nameOf(option);
            if (name != null && !SettingNames.ofPlace().contains(name)) {
                names.add(name);
            }
        }
        commandLine.getSubcommands().values().forEach(sub -> addOptions(sub, names));
    }

    @Test
    void shouldCountAnEmptyVariableOrPropertyAsNotSet() {
        final String unset = value("--kill-grace", Map.of());
        assertThat(value("--kill-grace", Map.of("SEGNO_KILL_GRACE", "", "SEGNO_CONFIG", "")))
                .isEqualTo(unset);
        assertThat(value("--timeout", Map.of("MPIEXEC_TIMEOUT", " "))).isEqualTo(value("--timeout", Map.of()));

        properties.setProperty("segno.kill-grace", "");
        properties.setProperty("segno.config", " ");
        assertThat(value("--kill-grace", Map.of())).isEqualTo(unset);
        assertThat(value("--kill-grace", Map.of("SEGNO_KILL_GRACE", "7s"))).isEqualTo("7s");
    }

    @Test
    void shouldTakeThePropertyBeforeTheVariable() {
        assertThat(value("--kill-grace", Map.of("SEGNO_KILL_GRACE", "7s"))).isEqualTo("7s");

        properties.setProperty("segno.kill-grace", "8s");

        assertThat(value("--kill-grace", Map.of("SEGNO_KILL_GRACE", "7s"))).isEqualTo("8s");
    }

    @Test
    void shouldTakeTheTimeoutOfMpiexecWhenThereIsNoOther() {
        final Map<String, String> environment = Map.of("MPIEXEC_TIMEOUT", "9");

        assertThat(value("--timeout", environment)).isEqualTo("9s");
        assertThat(value("--timeout", Map.of("MPIEXEC_TIMEOUT", "9", "SEGNO_TIMEOUT", "1m")))
                .isEqualTo("1m");
        assertThat(value("--kill-grace", environment)).isNull();
    }

    @Test
    void shouldUseTheFileForSettingsThatNothingElseSets() throws Exception {
        final Path file = Files.writeString(directory.resolve("settings"), "# mine\nkill-grace = 9s\nkeep=true\n");
        final Map<String, String> environment = Map.of("SEGNO_CONFIG", file.toString());

        assertThat(value("--kill-grace", environment)).isEqualTo("9s");
        assertThat(value("--keep", environment)).isEqualTo("true");
        assertThat(value("--wdir", environment)).isNull();
        assertThat(value("--config", environment)).isNull();
        assertThat(value("--kill-grace", Map.of("SEGNO_CONFIG", file.toString(), "SEGNO_KILL_GRACE", "7s")))
                .isEqualTo("7s");
    }

    @Test
    @Tag("long")
    void shouldReadTheFileThatAnOptionNamesAndNameItIfItIsWrong() throws Exception {
        final Path file = Files.writeString(directory.resolve("settings"), "np = 3\ntag-output = true\n");
        try (SegnoProcess segno = SegnoProcess.start(
                Map.of("SEGNO_DIR", directory.toString()), "run", "--config", file.toString(), "--", "echo", "x")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).containsExactlyInAnyOrder("[0]<out> x", "[1]<out> x", "[2]<out> x");
        }
        Files.writeString(file, "kil-grace = 3s");
        try (SegnoProcess segno = SegnoProcess.start(Map.of(), "run", "--config", file.toString(), "--", "echo", "x")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(segno.error())
                    .contains("--config " + file + ", line 1: 'kil-grace' is not a setting, did you mean kill-grace?");
        }
        Files.writeString(file, "timeout = 3");
        try (SegnoProcess segno = SegnoProcess.start(Map.of(), "run", "--config", file.toString(), "--", "echo", "x")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(segno.error()).contains("Invalid value for file " + file + ": timeout: '3' is not a time");
        }
        Files.delete(file);
        try (SegnoProcess segno =
                SegnoProcess.start(Map.of("SEGNO_CONFIG", file.toString()), "run", "--", "echo", "x")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.NOT_FIT);
            assertThat(segno.error()).contains("--config " + file + ": no such file");
        }
    }

    @Test
    void shouldNameTheWrongLineOfTheFile() throws Exception {
        final Path file = directory.resolve("settings");

        Files.writeString(file, "# mine\nnp = 3\nnp = 4\n");
        assertThatThrownBy(() -> SettingsFile.read(file))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("line 3: 'np' is set twice");
        Files.write(file, new byte[] {(byte) 0xFF, (byte) 0xFE, 0, 1});
        assertThatThrownBy(() -> SettingsFile.read(file))
                .isInstanceOf(CommandException.class)
                .hasMessage("--config " + file + ": is not UTF-8 text");
    }

    @Test
    void shouldNotTakeAnOptionFromTheVariablesOfARank() {
        assertThat(value("--size", Map.of("SEGNO_SIZE", "4"))).isNull();
    }

    @Test
    void shouldWarnAboutAVariableOrPropertyThatMeansNothingAndNameTheNearest() {
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        final Console console = Console.on(new PrintStream(printed, true, StandardCharsets.UTF_8), 0);

        properties.setProperty("segno.kill-grave", "1s");
        properties.setProperty("segno.kill-grace", "1s");

        Settings.warnUnknown(
                Map.of("SEGNO_TIMOUT", "1s", "SEGNO_FAR_AWAY", "", "SEGNO_RANK", "0", "PATH", "x"),
                properties,
                console);

        assertThat(printed.toString(StandardCharsets.UTF_8).lines())
                .isEqualTo(List.of(
                        "segno: variable SEGNO_FAR_AWAY is not used by segno",
                        "segno: variable SEGNO_TIMOUT is not used by segno, did you mean SEGNO_TIMEOUT?",
                        "segno: property segno.kill-grave is not used by segno, did you mean segno.kill-grace?"));
    }

    @ParameterizedTest
    @CsvSource({
        "rn, segno run", "cleen, segno clean", "frobnicate, ''", "run --kil-grace=1s x, --kill-grace",
                "run --frobnicate x, ''",
        "run -z x, ''", "run --keeep x, --keep", "demo halo4, segno demo halo4d", "demo gc, ''", "stat --wacht, --watch"
    })
    void shouldSuggestTheOptionOrCommandWithinTwoEdits(String words, String suggestion) {
        final String[] arguments = words.split(" ", -1);
        final List<String> suggested = new ArrayList<>();
        final CommandLine top = Segno.commandLine(arguments, Map.of());
        top.setParameterExceptionHandler((problem, all) -> {
            Suggestions.of(problem).ifPresent(suggested::add);
            return ExitCode.WRONG_COMMAND_LINE;
        });

        assertThat(top.execute(arguments)).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
        assertThat(suggested).isEqualTo(suggestion.isEmpty() ? List.of() : List.of(suggestion));
    }

    @Test
    void shouldPrintTheSuggestionAndNoOther() throws Exception {
        try (SegnoProcess segno = SegnoProcess.start(Map.of(), "run", "--kil-grace", "1s", "--", "true")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
            assertThat(segno.error())
                    .contains("segno: did you mean --kill-grace?")
                    .doesNotContain("Possible");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"1000", "65536", "8k"})
    void shouldRefuseALongestDatagramThatNoLinkCanSendBeforeAnyRankStarts(String mtu) throws Exception {
        try (SegnoProcess segno = SegnoProcess.start(Map.of("SEGNO_MTU", mtu), "run", "--dry-run", "--", "true")) {
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
            assertThat(segno.error()).contains("SEGNO_MTU must be a multiple of 32 from 288 to 65504: '" + mtu + "'");
        }
    }

    @Test
    void shouldNotNameAVariableForAnErrorOnTheCommandLine() throws Exception {
        try (SegnoProcess segno =
                SegnoProcess.start(Map.of("SEGNO_TIMEOUT", "5"), "run", "--timeout", "7", "--", "true")) {
            assertThat(segno.exitCode()).isEqualTo(ExitCode.WRONG_COMMAND_LINE);
            assertThat(segno.error())
                    .contains("option '--timeout': '7' is not a time")
                    .doesNotContain("SEGNO_TIMEOUT");
        }
    }

    private @Nullable String value(String option, Map<String, String> environment) {
        return new Settings(environment, properties)
                .defaultValue(OptionSpec.builder(option).type(String.class).build());
    }
}
