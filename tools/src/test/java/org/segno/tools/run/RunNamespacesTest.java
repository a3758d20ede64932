package org.segno.tools.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.tools.SegnoProcess;

/** Jobs over two network namespaces of this host: real links and losses of them. Skipped where there can be none. */
@Timeout(180)
final class RunNamespacesTest {
    private static final long CUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int SIZE = 4;

    private String silence = "2s";

    @TempDir
    private Path directory = Path.of("");

    private Path jobs = Path.of("");
    private NetworkNamespaces namespaces;

    @BeforeEach
    void makeNamespaces() throws Exception {
        jobs = Files.createDirectory(directory.resolve("jobs"));
        try {
            namespaces = NetworkNamespaces.open(directory.resolve("report"));
        } catch (final NetworkNamespaces.UnavailableException e) {
            namespaces = abort("no network namespaces on this host: " + e.getMessage());
        }
    }

    @AfterEach
    void removeNamespaces() throws Exception {
        // JUnit calls this, too, after it has skipped the test.
        if (namespaces != null) {
            namespaces.remove();
        }
    }

    @Test
    void shouldSolveAndVerify() throws Exception {
        try (SegnoProcess segno = start("demo", "cg", "--grid", "16", "--java-opts", SegnoProcess.FAST_RANKS)) {
            assertThat(segno.exitCode()).as(segno.error()).isZero();
            assertThat(segno.output()).contains("verified");
            assertThat(segno.error()).contains("2 ranks on 2 hosts ended with 0");
        }
        assertThat(jobs).isEmptyDirectory();
    }

    @Tag("stress")
    @Test
    void shouldGoOnAfterAHostWasCutOffForASecond() throws Exception {
        try (SegnoProcess segno = ranks(StreamingRank.class, "5")) {
            segno.awaitOutput(SIZE);
            namespaces.cut(1);
            awaitEndOfCut();
            namespaces.mend(1);
            requireAll(segno);
        }
        assertThat(jobs).isEmptyDirectory();
    }

    /** The line is a hundredth as fast as the hosts are. Its queue holds the windows of all links. */
    @Tag("stress")
    @Test
    void shouldPassLongMessagesThroughASlowLine() throws Exception {
        silence = "10s";
        prepare(namespaces::slow);
        try (SegnoProcess segno = ranks(LongMessagesRank.class, "2")) {
            requireAll(segno);
        }
        assertThat(jobs).isEmptyDirectory();
    }

    @Tag("stress")
    @Test
    void shouldPassAllMessagesWhileEveryTenthDatagramIsLost() throws Exception {
        passWhileEveryTenthDatagramIsLost(StreamingRank.class, "1");
    }

    @Tag("stress")
    @Test
    void shouldPassLongMessagesWhileEveryTenthDatagramIsLost() throws Exception {
        passWhileEveryTenthDatagramIsLost(LongMessagesRank.class, "20");
    }

    private void passWhileEveryTenthDatagramIsLost(Class<?> main, String argument) throws Exception {
        prepare(namespaces::filter);
        prepare(index -> namespaces.drop(index, 10));
        try (SegnoProcess segno = ranks(main, argument)) {
            requireAll(segno);
        }
        assertThat(jobs).isEmptyDirectory();
    }

    @Tag("stress")
    @Test
    void shouldGoOnAfterAllDatagramsWereLostForASecond() throws Exception {
        prepare(namespaces::filter);
        try (SegnoProcess segno = ranks(StreamingRank.class, "5")) {
            segno.awaitOutput(SIZE);
            prepare(index -> namespaces.drop(index, 1));
            awaitEndOfCut();
            prepare(namespaces::admit);
            requireAll(segno);
        }
        assertThat(jobs).isEmptyDirectory();
    }

    /** Change of a host. */
    @FunctionalInterface
    private interface Change {
        void at(int index) throws Exception;
    }

    /** Changes both hosts, or skips the test with the reason if this host cannot. */
    private static void prepare(Change change) throws Exception {
        try {
            change.at(0);
            change.at(1);
        } catch (final NetworkNamespaces.UnavailableException e) {
            abort(e.getMessage());
        }
    }

    private static void awaitEndOfCut() {
        final long startNs = System.nanoTime();
        SegnoProcess.await(() -> System.nanoTime() - startNs >= CUT_NS, "the end of the cut");
    }

    private static void requireAll(SegnoProcess segno) throws Exception {
        assertThat(segno.exitCode()).as(segno.error()).isZero();
        for (int rank = 0; rank < SIZE; rank++) {
            assertThat(segno.output()).contains("[" + rank + "]<out> received all");
        }
    }

    @Test
    @Tag("long")
    void shouldEndTheJobByNameIfAHostStaysCutOff() throws Exception {
        try (SegnoProcess segno = ranks(JoiningRank.class, "wait")) {
            final List<String> pids = segno.awaitOutput(SIZE).stream()
                    .map(line -> line.substring(line.indexOf(' ') + 1))
                    .toList();
            namespaces.cut(1);
            assertThat(segno.exitCode()).as(segno.error()).isNotZero();
            assertThat(segno.error())
                    .containsPattern("\\[0]<err> rank [23] failed")
                    .containsPattern("\\[1]<err> rank [23] failed");
            TestHosts.awaitGone(pids);
        }
        assertThat(jobs).isEmptyDirectory();
    }

    private SegnoProcess ranks(Class<?> main, String argument) throws IOException {
        final List<String> words = new ArrayList<>(List.of("run", "--tag-output"));
        words.addAll(List.of(TestHosts.ignoringTerm(main, argument)));
        return start(words.toArray(String[]::new));
    }

    /** Starts {@code segno} with the hosts behind the subcommand, or behind the demo, which has one rank on each. */
    private SegnoProcess start(String... arguments) throws IOException {
        final List<String> words = new ArrayList<>(List.of(arguments));
        final boolean isDemo = words.get(0).equals("demo");
        final int ranks = isDemo ? 1 : SIZE / 2;
        final String hosts = namespaces.host(0) + ":" + ranks + "," + namespaces.host(1) + ":" + ranks;
        words.addAll(isDemo ? 2 : 1, List.of("--host", hosts, "--rsh", "ip netns exec", "--net", namespaces.network()));
        return SegnoProcess.start(
                Map.of("SEGNO_DIR", jobs.toString(), "SEGNO_SILENCE", silence), words.toArray(String[]::new));
    }
}
