package org.segno.example;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.node.JobConfig;

/** The README's program: it runs, and the README contains it byte for byte. */
class FirstProgramTest {
    private static final String FLAG = "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED";
    private static final Path SOURCE = Path.of("src/test/java/org/segno/example/FirstProgram.java");
    private static final Path README = Path.of("../README.md");
    private static final Path OVERVIEW = Path.of("../engine/src/main/javadoc/overview.html");
    private static final Pattern JAVA_BLOCK = Pattern.compile("(?ms)^```java\\n(.*?)^```$");

    @TempDir
    Path directory;

    @Test
    void shouldRunInSeveralProcesses() throws Exception {
        final JobConfig job = JobConfig.of("first", 0, 3).withDirectory(directory);
        final List<Process> processes = new ArrayList<>();
        for (int rank = 0; rank < job.size(); rank++) {
            processes.add(start(List.of(FLAG), job.withRank(rank).toEnvironment()));
        }
        for (int rank = 0; rank < job.size(); rank++) {
            assertThat(output(processes.get(rank)))
                    .isEqualTo("rank " + rank + " of 3 received 1000 values from rank " + (rank + 2) % 3 + "\n");
            assertThat(processes.get(rank).exitValue()).isZero();
        }
        assertThat(directory).isEmptyDirectory();
    }

    @Test
    void shouldRunAlone() throws Exception {
        final Process alone = start(List.of(FLAG), Map.of());

        assertThat(output(alone)).isEqualTo("rank 0 of 1 received 1000 values from rank 0\n");
        assertThat(alone.exitValue()).isZero();
    }

    @Test
    void shouldNameTheRemedyWhenTheFlagIsMissing() throws Exception {
        final Process process = start(List.of(), Map.of());

        assertThat(output(process))
                .contains("Exception: Segno needs the flag " + FLAG)
                .contains("<argLine>" + FLAG + "</argLine>")
                .contains("Add-Exports: java.base/jdk.internal.misc")
                .doesNotContain("IllegalAccessError");
        assertThat(process.exitValue()).isOne();
    }

    @Test
    void shouldBeInTheReadmeByteForByte() throws IOException {
        final Matcher block =
                Files.exists(README) ? JAVA_BLOCK.matcher(Files.readString(README)) : JAVA_BLOCK.matcher("");
        assumeTrue(block.find(), "README.md shows no program yet");

        assertThat(block.group(1)).isEqualTo(Files.readString(SOURCE).replaceFirst("package [^;]+;\\n\\n", ""));
    }

    @Test
    void shouldStandInTheOverviewOfTheJavadoc() throws IOException {
        assertThat(Files.readString(OVERVIEW))
                .contains("<pre>{@code\n" + Files.readString(SOURCE).replaceFirst("package [^;]+;\\n\\n", "")
                        + "}</pre>");
    }

    private static Process start(List<String> flags, Map<String, String> environment) throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx64m"));
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), FirstProgram.class.getName()));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("SEGNO_"));
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Returns the output of the process, after it has ended. */
    private static String output(Process process) throws Exception {
        try {
            process.getOutputStream().close();
            final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(output).isTrue();
            return output;
        } finally {
            process.destroyForcibly();
        }
    }
}
