package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;

/** JVMs of Java programs: the Java home, the options, the recordings and the thread dumps. */
final class RunJavaTest {
    @TempDir
    private Path directory = Path.of("");

    @BeforeEach
    void write() throws Exception {
        Files.writeString(directory.resolve("Probe.java"), """
            class Probe {
                public static void main(String[] args) throws Exception {
                    System.out.println(System.getProperty("java.home") + " " + System.getProperty("a b") + " "
                            + Runtime.getRuntime().availableProcessors());
                    if (args.length > 0) {
                        System.in.read();
                    }
                }
            }
            """);
    }

    @Test
    void shouldRunOnTheChosenJavaWithTheChosenOptions() throws Exception {
        final Path home = Files.createDirectories(directory.resolve("jdk"));
        final Path real = Path.of(System.getProperty("java.home"));
        Files.createDirectories(home.resolve("bin"));
        final Path java = home.resolve("bin/java");
        Files.writeString(java, "#!/bin/sh\necho chosen\nexec " + real + "/bin/java \"$@\"\n");
        assertThat(java.toFile().setExecutable(true)).isTrue();

        try (SegnoProcess segno =
                run("-n", "1", "--java", home.toString(), "--java-opts", "'-Da b=c d'", "Probe.java")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output().get(0)).isEqualTo("chosen");
            assertThat(segno.output().get(1)).startsWith(real + " c d ");
        }
    }

    @Test
    @Tag("long")
    void shouldGiveAVirtualMachineThatIsBoundToACoreTheNumberOfTheCoresOfAllRanks() throws Exception {
        try (SegnoProcess segno =
                run("-n", "1", "--bind-to", "core", "--java-opts", "-XX:+UseSerialGC", "Probe.java")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).singleElement().asString().endsWith(" null 1");
        }
    }

    @Test
    @Tag("long")
    void shouldLeaveARecordingOfEachRankAndNothingOfItInTheOutput() throws Exception {
        final Path recordings = directory.resolve("recordings");
        try (SegnoProcess segno = run("-n", "2", "--jfr", recordings.toString(), "Probe.java")) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).hasSize(2);
        }
        assertThat(recordings.resolve("rank-0.jfr")).isNotEmptyFile();
        assertThat(recordings.resolve("rank-1.jfr")).isNotEmptyFile();
    }

    @Test
    @Tag("long")
    void shouldPrintTheStacksOfAllRanksBeforeATimeoutEndsThem() throws Exception {
        // Only after the rank waits: a JVM that is still starting would die of the signal.
        try (SegnoProcess segno =
                run("-n", "1", "--timeout", "5s", "--stack-traces", "--tag-output", "Probe.java", "wait")) {
            segno.awaitOutput(1);
            assertThat(segno.exitCode()).as(segno.error()).isEqualTo(ExitCode.TIMED_OUT);
            assertThat(segno.error())
                    .contains("--timeout 5s reached", "[0]<err> Full thread dump", "[0]<err> \tat Probe.main(");
            assertThat(segno.output()).hasSize(1);
        }
    }

    private SegnoProcess run(String... arguments) throws Exception {
        final List<String> all = new ArrayList<>(List.of("run", "--wdir", directory.toString()));
        all.addAll(List.of(arguments));
        return SegnoProcess.start(Map.of("SEGNO_DIR", directory.toString()), all.toArray(String[]::new));
    }
}
