package org.segno.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
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
        checkListed(all);
    }

    @Test
    void shouldListNoOptionThatNoCommandHas() {
        final Set<String> used = new HashSet<>();
        addVariables(Segno.commandLine(new String[0], Map.of()), used);

        assertThat(used).containsAll(Settings.OPTION_VARIABLES);
    }

    private static void addVariables(CommandLine commandLine, Set<String> variables) {
        for (final OptionSpec option : commandLine.getCommandSpec().options()) {
            final String name = Settings.nameOf(option);
            if (name != null) {
                variables.add(Settings.variableOf(name));
            }
        }
        commandLine.getSubcommands().values().forEach(sub -> addVariables(sub, variables));
    }

    private void checkListed(CommandLine commandLine) {
        for (final OptionSpec option : commandLine.getCommandSpec().options()) {
            final String name = Settings.nameOf(option);
            if (name != null) {
                assertThat(Settings.isKnown(Settings.variableOf(name))).as(name).isTrue();
            }
        }
        commandLine.getSubcommands().values().forEach(this::checkListed);
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
    void shouldWarnAboutAVariableThatMeansNothingAndNameTheNearest() {
        final ByteArrayOutputStream printed = new ByteArrayOutputStream();
        final Console console = Console.on(new PrintStream(printed, true, StandardCharsets.UTF_8), 0);

        Settings.warnUnknown(Map.of("SEGNO_TIMOUT", "1s", "SEGNO_RANK", "0", "PATH", "x"), console);

        assertThat(printed.toString(StandardCharsets.UTF_8).lines())
                .isEqualTo(List.of("segno: variable SEGNO_TIMOUT is not used by segno, did you mean SEGNO_TIMEOUT?"));
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
