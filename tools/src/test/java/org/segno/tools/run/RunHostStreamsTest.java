package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.tools.SegnoProcess;

/** Ranks that are stopped, or compute, while those of another host send to them: they live, and nothing is lost. */
@Timeout(180)
final class RunHostStreamsTest {
    /** Longer than the silence after which a host is dead, and shorter than the ranks send. */
    private static final long STOP_NS = TimeUnit.SECONDS.toNanos(3);

    private static final int SIZE = 4;

    @TempDir
    private Path directory = Path.of("");

    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = 3)
    void shouldLoseNothingOfARankThatIsStoppedForLongerThanTheSilence(int stopped) throws Exception {
        try (SegnoProcess segno = run("5")) {
            final String pid = segno.awaitOutput(SIZE).stream()
                    .filter(line -> line.startsWith("[" + stopped + "]"))
                    .map(line -> line.substring(line.indexOf(' ') + 1))
                    .findAny()
                    .orElseThrow();
            TestHosts.signal("STOP", pid);
            final long startNs = System.nanoTime();
            SegnoProcess.await(() -> System.nanoTime() - startNs >= STOP_NS, "the end of the stop");
            assertThat(segno.process().isAlive()).as(segno.error()).isTrue();
            TestHosts.signal("CONT", pid);
            assertComplete(segno);
        }
    }

    @Tag("stress")
    @ParameterizedTest
    @ValueSource(strings = "invoker")
    void shouldLoseNothingWhileARankComputes(String threading) throws Exception {
        try (SegnoProcess segno = run(List.of("--threading", threading), "3", "2", "3")) {
            assertComplete(segno);
        }
    }

    @Tag("stress")
    @ParameterizedTest
    @ValueSource(strings = {"invoker", "dedicated"})
    void shouldLoseNothingWhileARankComputesForLong(String threading) throws Exception {
        try (SegnoProcess segno = run(List.of("--threading", threading), "12", "2", "12")) {
            assertComplete(segno);
        }
    }

    private SegnoProcess run(String... arguments) throws Exception {
        return run(List.of(), arguments);
    }

    private SegnoProcess run(List<String> options, String... arguments) throws Exception {
        final TestHosts hosts = TestHosts.in(directory);
        final List<String> words = new ArrayList<>(List.of("--host", "a:2,b:2", "--tag-output"));
        words.addAll(options);
        words.addAll(List.of(TestHosts.main(StreamingRank.class, arguments)));
        return hosts.run(words.toArray(String[]::new));
    }

    private static void assertComplete(SegnoProcess segno) throws InterruptedException {
        segno.awaitOutput(2 * SIZE);
        assertThat(segno.exitCode()).as(segno.error()).isZero();
        assertThat(segno.output())
                .contains(
                        "[0]<out> received all",
                        "[1]<out> received all",
                        "[2]<out> received all",
                        "[3]<out> received all");
    }
}
