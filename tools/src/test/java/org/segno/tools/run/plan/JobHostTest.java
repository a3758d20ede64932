package org.segno.tools.run.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;

final class JobHostTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void shouldReadNamesUsersAndSlots() {
        assertThat(JobHost.parse("a:2, user@b.example.org ,[2001:db8::1]:3,10.0.0.7"))
                .containsExactly(
                        new JobHost("a", 2),
                        new JobHost("user@b.example.org", 1),
                        new JobHost("[2001:db8::1]", 3),
                        new JobHost("10.0.0.7", 1));
        assertThat(new JobHost("u@[2001:db8::1]", 1).shellName()).isEqualTo("u@2001:db8::1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "a,", "a:", "a:x", "a b", "-oProxyCommand=x", "a;b", "u@-x", "a:2:3", "$(x)", "a:9999999999"
            })
    void shouldRefuseEverythingElse(String text) {
        assertThatThrownBy(() -> JobHost.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("--host takes names with slots");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:0", "a:1025"})
    void shouldRefuseSlotsOutOfRange(String text) {
        assertThatThrownBy(() -> JobHost.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("the slots of a host must be from 1 to 1024: " + text);
    }

    @Test
    void shouldReadAFileWithComments() throws Exception {
        final Path file = Files.writeString(directory.resolve("hosts"), """
                # the cluster
                a slots=2   # two cores

                \tuser@b
                c\tslots=16
                """);

        assertThat(HostFile.read(file))
                .containsExactly(new JobHost("a", 2), new JobHost("user@b", 1), new JobHost("c", 16));
    }

    @ParameterizedTest
    @CsvSource({
        "'a slots=2\nb slots=two\n', 'line 2: after the name a line takes slots=N: ''slots=two'''",
        "'a fast\n', 'line 1: after the name a line takes slots=N: ''fast'''",
        "'a slots=2 fast\n', 'line 1: after slots=N a line takes nothing more: ''fast'''",
        "'a slots=1 slots=2\n', 'line 1: after slots=N a line takes nothing more: ''slots=2'''",
        "'a;b\n', 'line 1: ''a;b'' is not the name of a host'",
        "'a slots=0\n', 'line 1: the slots of a host must be from 1 to 1024'",
        "'# nobody\n', 'has no host'"
    })
    void shouldNameTheWrongLineOfAFile(String text, String message) throws Exception {
        final Path file = Files.writeString(directory.resolve("hosts"), text);

        assertThatThrownBy(() -> HostFile.read(file))
                .isInstanceOfSatisfying(
                        CommandException.class, e -> assertThat(e.exitCode()).isEqualTo(ExitCode.NOT_FIT))
                .hasMessageContaining(file.toString())
                .hasMessageContaining(message);
    }

    @Test
    void shouldReportAFileThatIsMissingOrIsNoText() throws Exception {
        final Path missing = directory.resolve("none");
        assertThatThrownBy(() -> HostFile.read(missing))
                .isInstanceOf(CommandException.class)
                .hasMessage("--hostfile " + missing + ": no such file");

        final Path binary = Files.write(directory.resolve("binary"), new byte[] {'a', (byte) 0xff, '\n'});
        assertThatThrownBy(() -> HostFile.read(binary))
                .isInstanceOf(CommandException.class)
                .hasMessage("--hostfile " + binary + ": is not UTF-8 text");
    }
}
