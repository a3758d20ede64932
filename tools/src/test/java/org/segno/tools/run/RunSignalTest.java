package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.tools.SegnoProcess;
import org.segno.tools.command.ExitCode;

/** Launcher under signals: it leaves no processes and no files. */
final class RunSignalTest {
    private static final String OBEDIENT = "echo $$; exec sleep 30";
    private static final String STUBBORN = "trap '' TERM INT; echo $$; while :; do sleep 0.01; done";

    @TempDir
    private Path parent = Path.of("");

    @Test
    void shouldEndAllRanksAndNameTheSignal() throws Exception {
        requireEnd("TERM", 15);
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({"INT, 2", "HUP, 1"})
    void shouldEndAllRanksAtOtherSignals(String name, int number) throws Exception {
        requireEnd(name, number);
    }

    private void requireEnd(String name, int number) throws Exception {
        assumeFalse(isIgnored(number), "the parent of the tests ignores " + name + ", as nohup does, and so do they");
        try (SegnoProcess segno = start("-n", "2", "--", "sh", "-c", OBEDIENT)) {
            final List<String> pids = segno.awaitOutput(2);
            segno.signal(name);
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + number);
            assertThat(segno.error()).contains("signal " + number + ", " + name, "none needed KILL");
            pids.forEach(pid -> SegnoProcess.awaitGone(Long.parseLong(pid)));
            assertThat(parent).isEmptyDirectory();
        }
    }

    private static boolean isIgnored(int signal) throws IOException {
        final String mask = Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .map(line -> line.substring("SigIgn:".length()).trim())
                .findFirst()
                .orElseThrow();
        return (Long.parseUnsignedLong(mask, 16) >>> (signal - 1) & 1) != 0;
    }

    @Test
    void shouldKillAfterTheGrace() throws Exception {
        try (SegnoProcess segno = start("-n", "2", "--kill-grace", "100ms", "--", "sh", "-c", STUBBORN)) {
            final List<String> pids = segno.awaitOutput(2);
            segno.signal("TERM");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 15);
            assertThat(segno.error()).contains("2 needed KILL");
            pids.forEach(pid -> SegnoProcess.awaitGone(Long.parseLong(pid)));
        }
    }

    @Test
    void shouldKillAtOnceAtASecondInterrupt() throws Exception {
        try (SegnoProcess segno = start("-n", "2", "--kill-grace", "1h", "--", "sh", "-c", STUBBORN)) {
            segno.awaitOutput(2);
            segno.signal("INT");
            segno.awaitError("signal 2, INT");
            segno.signal("INT");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 2);
            assertThat(segno.error()).contains("2 needed KILL");
        }
    }

    @Test
    void shouldEndTheChildrenOfARankToo() throws Exception {
        final String script = "sleep 30 & echo $!; wait";
        try (SegnoProcess segno = start("-n", "2", "--", "sh", "-c", script)) {
            final List<String> pids = segno.awaitOutput(2);
            segno.signal("TERM");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 15);
            pids.forEach(pid -> SegnoProcess.awaitGone(Long.parseLong(pid)));
        }
    }

    @Test
    @Tag("long")
    void shouldEndItsRanksWhenItIsKilledAndLetTheNextStartRemoveTheDirectory() throws Exception {
        try (SegnoProcess segno = start("-n", "2", "--", "sh", "-c", OBEDIENT)) {
            final List<String> pids = segno.awaitOutput(2);
            segno.signal("KILL");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 9);
            pids.forEach(pid -> SegnoProcess.awaitGone(Long.parseLong(pid)));
        }
        assertThat(parent).isNotEmptyDirectory();
        try (SegnoProcess next = start("-n", "1", "--", "true")) {
            assertThat(next.exitCode()).isZero();
        }
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    @Tag("long")
    void shouldLeaveNothingOfASourceFileAfterItsCompilationIsInterrupted() throws Exception {
        final Path temporary = Files.createDirectory(parent.resolve("temporary"));
        final StringBuilder source = new StringBuilder("class Long {\n");
        // The compiler works for some seconds, and the signal arrives within them.
        for (int method = 0; method < 20_000; method++) {
            source.append("int m")
                    .append(method)
                    .append("(int x) { return x * ")
                    .append(method)
                    .append(" + m0(x); }\n");
        }
        Files.writeString(
                parent.resolve("Long.java"),
                source.append("public static void main(String[] a) { System.out.println(\"started\"); } }"));
        final Map<String, String> environment =
                Map.of("SEGNO_DIR", parent.toString(), "JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary);
        final String file = parent.resolve("Long.java").toString();
        try (SegnoProcess segno = SegnoProcess.start(environment, "run", "-n", "2", file)) {
            SegnoProcess.await(() -> temporary.toFile().list().length > 0, "a directory for classes");
            segno.signal("INT");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 2);
            assertThat(segno.error()).contains("signal 2, INT before any rank was started");
            assertThat(segno.output()).isEmpty();
        }
        assertThat(temporary).isEmptyDirectory();
    }

    @Test
    @Tag("long")
    void shouldPrintTheThreadDumpsOfRanksThatAreVirtualMachinesAndLeaveOthersAlone() throws Exception {
        Files.writeString(parent.resolve("Waiting.java"), """
            class Waiting {
                public static void main(String[] args) throws Exception {
                    System.out.println("ready");
                    System.in.read();
                }
            }
            """);
        final String java =
                Path.of(System.getProperty("java.home"), "bin", "java").toString();
        final String script =
                "if [ $SEGNO_RANK = 0 ]; then exec " + java + " Waiting.java; fi; echo ready; exec sleep 30";
        try (SegnoProcess segno =
                start("-n", "2", "--wdir", parent.toString(), "--tag-output", "--", "sh", "-c", script)) {
            segno.awaitOutput(2);
            segno.signal("USR1");
            SegnoProcess.await(() -> segno.output().toString().contains("Waiting.main"), "the stack of rank 0");
            segno.awaitError("rank 1 is not a JVM");
            segno.signal("TERM");
            assertThat(segno.exitCode()).isEqualTo(ExitCode.SIGNALLED + 15);
        }
    }

    @Test
    @Tag("long")
    void shouldRemoveTheDirectoryUnlessItIsToBeKept() throws Exception {
        try (SegnoProcess removed = start("-n", "1", "--", "sh", "-c", "exit 5")) {
            assertThat(removed.exitCode()).isEqualTo(5);
            assertThat(parent).isEmptyDirectory();
        }
        try (SegnoProcess kept = start("-n", "1", "--keep", "--", "sh", "-c", "exit 5")) {
            assertThat(kept.exitCode()).isEqualTo(5);
            assertThat(kept.error()).contains("job directory kept: " + parent);
            assertThat(parent).isNotEmptyDirectory();
        }
    }

    private SegnoProcess start(String... arguments) throws Exception {
        final String[] all = new String[arguments.length + 1];
        all[0] = "run";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        return SegnoProcess.start(Map.of("SEGNO_DIR", parent.toString()), all);
    }
}
