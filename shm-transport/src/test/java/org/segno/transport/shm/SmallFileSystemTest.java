package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.SegnoException;

/** Small file systems, mounted for the test. Mounting needs root; without it these tests are skipped. */
class SmallFileSystemTest {
    private static final long MEGABYTE = 1 << 20;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    private Path mounted = Path.of("nowhere");
    private boolean isMounted;

    @BeforeEach
    void requireRoot() {
        mounted = pool.directory().resolve("small");
        assumeTrue("root".equals(System.getProperty("user.name")), "only root can mount a small file system");
    }

    @AfterEach
    void unmount() throws Exception {
        if (isMounted) {
            // Lazily, because a mapping exists until its last reference is collected.
            assertThat(run("umount", "-l", mounted.toString())).isZero();
        }
        Files.deleteIfExists(mounted);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 4, 16, 64})
    void shouldReportBothLengthsAndTheRemedyAndLeaveNothing(int megabytes) throws Exception {
        mount(megabytes);
        final NodeConfig tooLarge = NodeConfig.defaults().withWindowBytes(megabytes * MEGABYTE);

        assertThatThrownBy(() -> Node.join(job(1), tooLarge))
                .isExactlyInstanceOf(SegnoException.class)
                .hasMessageContaining("no room for the node file")
                .hasMessageMatching("(?s).*it needs \\d{7,} bytes, its file system has \\d{5,} left.*")
                .hasMessageContaining("SEGNO_DIR")
                .hasMessageContaining("withWindowBytes");
        assertThat(mounted).isEmptyDirectory();
        if (megabytes >= 4) {
            Node.join(job(1), NodeConfig.defaults()).close();
            assertThat(mounted).isEmptyDirectory();
        }
    }

    @Test
    void shouldHoldEightNodesOfTheDefaultSizeInTheSharedMemoryOfAContainer() throws Exception {
        mount(64);
        final List<JobConfig> jobs = new ArrayList<>();
        for (int rank = 0; rank < 8; rank++) {
            jobs.add(job(8).withRank(rank));
        }

        Node.joinAll(jobs, NodeConfig.defaults()).forEach(Node::close);

        assertThat(mounted).isEmptyDirectory();
    }

    /** Each rank finds enough room when it checks; together they fill it. */
    @Test
    @Tag("long")
    void shouldFailEveryRankWhenThereIsRoomForSomeOnly() throws Exception {
        mount(4);
        // A rank that comes after the job has failed finds no job, and waits until this timeout.
        final JobConfig job = job(3).withJoinTimeout(Duration.ofSeconds(5));
        final List<TestProcess> processes = Stream.of(0, 1, 2)
                .map(rank -> pool.start(LargeNode.class, job, Threading.INVOKER, rank, 2 * MEGABYTE))
                .toList();

        final List<String> outcomes =
                processes.stream().map(process -> process.expect("outcome")).toList();

        assertThat(outcomes)
                .anySatisfy(outcome -> assertThat(outcome)
                        .startsWith("SegnoException: ")
                        .containsPattern("it needs \\d{7,} bytes, its file system has \\d+ left"));
        assertThat(outcomes)
                .allSatisfy(outcome -> assertThat(outcome)
                        .matches("(SegnoException: no room|PeerFailedException \\d: .*before all had joined"
                                + "|DeadlineException: .*rank 0, or the launcher, is missing).*"));
        processes.forEach(TestProcess::awaitEnd);
        assertThat(mounted).isEmptyDirectory();
    }

    private JobConfig job(int size) {
        return pool.job("small", size).withDirectory(mounted);
    }

    private void mount(int megabytes) throws Exception {
        Files.createDirectory(mounted);
        isMounted = run("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", mounted.toString()) == 0;
        assumeTrue(isMounted, "this container does not allow to mount a file system");
    }

    private static int run(String... command) throws IOException, InterruptedException {
        final Process process = new ProcessBuilder(command).inheritIO().start();
        assertThat(process.waitFor(20, TimeUnit.SECONDS)).isTrue();
        return process.exitValue();
    }

    /** Joins with large windows. */
    static final class LargeNode implements Scenario {
        @Override
        public void run(ScenarioRun run) {
            try {
                Node.join(run.job(), run.config().withWindowBytes(run.number(0)))
                        .close();
                run.print("outcome joined");
            } catch (SegnoException e) {
                run.print("outcome " + Outcome.of(e));
            }
        }
    }
}
