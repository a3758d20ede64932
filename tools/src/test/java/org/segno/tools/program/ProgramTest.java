package org.segno.tools.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ProgramTest {
    private static final String FLAG = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";
    private static final String DUMPS = "-XX:+DisplayVMOutputToStderr";
    private static final Java JAVA = Java.own();

    @TempDir
    private Path directory = Path.of("");

    @Test
    void shouldGiveJavaProgramsTheFlagAndSendTheOutputOfTheVirtualMachineToStandardError() {
        final List<String> command =
                Program.main("a:b", "org.example.Main", List.of("x", "-y")).command(JAVA);

        assertThat(command.get(0)).endsWith("/bin/java");
        assertThat(command.subList(1, command.size()))
                .containsExactly(FLAG, DUMPS, "-cp", "a:b", "org.example.Main", "x", "-y");
    }

    @Test
    void shouldLeaveAnExecutableJarItsOwnClassPath() {
        final List<String> command = Program.jar("app.jar", List.of("1")).command(JAVA);

        assertThat(command.subList(1, command.size())).containsExactly(FLAG, DUMPS, "-jar", "app.jar", "1");
    }

    @Test
    void shouldLeaveAnyOtherCommandAsItIs() {
        assertThat(Program.command(List.of("sh", "-c", "exit 1")).command(JAVA)).containsExactly("sh", "-c", "exit 1");
    }

    @ParameterizedTest
    @CsvSource({
        "dir/Halo.java, halo",
        "my_app-1.2.jar, my-app-1-2",
        "./run.sh, run",
        "/bin/sleep, sleep",
        "a-very-long-name-of-a-program, a-very-long-name",
        "---, job"
    })
    void shouldNameTheJobAfterTheProgram(String word, String jobName) {
        assertThat(Program.command(List.of(word)).jobName()).isEqualTo(jobName);
    }

    @Test
    void shouldPutSegnoAtTheEndOfAClassPathWithoutIt() throws IOException {
        Files.createDirectory(directory.resolve("classes"));
        jar("other.jar", "org/example/Main.class");

        assertThat(ClassPath.withSegno("classes:other.jar:missing.jar", directory))
                .isEqualTo("classes:other.jar:missing.jar:" + ClassPath.ofSegno());
    }

    @Test
    void shouldLeaveAClassPathAloneThatHoldsSegno() throws IOException {
        Files.createDirectory(directory.resolve("lib"));
        jar("lib/bundle.jar", "org/segno/node/Node.class");
        Files.createDirectories(directory.resolve("classes/org/segno/node"));
        Files.createFile(directory.resolve("classes/org/segno/node/Node.class"));

        for (final String classPath : List.of("a:lib/bundle.jar", "lib/*", "classes")) {
            assertThat(ClassPath.withSegno(classPath, directory)).isEqualTo(classPath);
        }
    }

    private void jar(String name, String entry) throws IOException {
        try (OutputStream file = Files.newOutputStream(directory.resolve(name));
                ZipOutputStream zip = new ZipOutputStream(file)) {
            zip.putNextEntry(new ZipEntry(entry));
            zip.closeEntry();
        }
    }
}
