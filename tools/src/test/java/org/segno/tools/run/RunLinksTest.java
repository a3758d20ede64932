package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.tools.SegnoProcess;

/** A demo whose ranks, or some of them, have links over Aeron. It verifies its solution. */
@Timeout(120)
final class RunLinksTest {
    private static final Pattern PID = Pattern.compile("rank \\d+ is pid (\\d+)");

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @Tag("long")
    @ValueSource(strings = {"-n 4 --transport aeron", "--host a,b"})
    void shouldSolveAndLeaveNothing(String options) throws Exception {
        solve(options);
    }

    @Tag("stress")
    @ParameterizedTest
    @ValueSource(
            strings = {"--host a:2,b:2", "--host localhost:1,b:2 --map-by node", "--host a:2,b:2 --transport aeron"})
    void shouldSolveOverAnyHosts(String options) throws Exception {
        solve(options);
    }

    /** Links of a process reach no other process: the join fails, because the ranks follow the variable. */
    @Test
    @Tag("long")
    void shouldJoinByTheTransportsOfTheVariable() throws Exception {
        final String[] command = {"demo", "cg", "-n", "2", "--grid", "8", "--java-opts", SegnoProcess.FAST_RANKS};
        try (SegnoProcess segno = SegnoProcess.start(variables("process"), command)) {
            assertThat(segno.exitCode()).isNotZero();
            assertThat(segno.error())
                    .contains(
                            "which is in another process, by the transports [process]: add \"shm\" to SEGNO_TRANSPORT");
        }
        try (SegnoProcess segno = SegnoProcess.start(variables("process,shm"), command)) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
        }
    }

    private Map<String, String> variables(String transport) {
        return Map.of("SEGNO_DIR", directory.toString(), "SEGNO_TRANSPORT", transport);
    }

    private void solve(String options) throws Exception {
        final TestHosts hosts = TestHosts.in(directory);
        final List<String> words = new ArrayList<>(List.of("-v", "demo", "cg", "--grid", "8"));
        words.addAll(List.of("--rsh", hosts.path("rsh")));
        words.addAll(List.of("--java-opts", SegnoProcess.FAST_RANKS));
        words.addAll(List.of(options.split(" ")));
        try (SegnoProcess segno = hosts.start(words.toArray(String[]::new))) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).contains("verified");
            assertThat(segno.error()).contains("aeron").doesNotContain("WARNING", "Exception", "error");
            final List<String> pids = new ArrayList<>();
            for (final Matcher pid = PID.matcher(segno.error()); pid.find(); ) {
                pids.add(pid.group(1));
            }
            assertThat(pids).hasSizeGreaterThan(1);
            if (Files.exists(directory.resolve("agents"))) {
                pids.addAll(hosts.agents());
            }
            TestHosts.awaitGone(pids);
        }
        assertThat(hosts.jobs()).isEmptyDirectory();
    }
}
