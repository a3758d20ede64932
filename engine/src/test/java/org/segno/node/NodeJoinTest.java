package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.job.JobDirectory;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

@Timeout(60)
class NodeJoinTest {
    @TempDir
    Path parent;

    @Test
    void shouldReportTheRankThatFailedTheJoinAndNotAMissingDirectory() {
        final JobConfig job = JobConfig.of("test", 0, 2).withDirectory(parent);
        final NodeJoin first = new NodeJoin(job, NodeConfig.defaults());
        final NodeJoin second = new NodeJoin(job.withRank(1), NodeConfig.defaults());
        try {
            first.makeFile();
            second.giveUp();
            final long deadlineNs = InProcessJob.deadline();
            while (Files.exists(JobDirectory.pathOf(job.settings())) && !Deadline.reached(deadlineNs)) {
                Thread.onSpinWait();
            }
            final SegnoException trouble = new SegnoException("no such file");

            assertThat(first.reason(trouble))
                    .isInstanceOf(PeerFailedException.class)
                    .hasMessageContaining("rank 1")
                    .hasSuppressedException(trouble);
            assertThatThrownBy(first::mapPeers).isInstanceOf(PeerFailedException.class);
        } finally {
            first.giveUp();
        }
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void shouldReportOnceThatThereCanBeNoDirectory() throws IOException {
        final Path file = Files.createFile(parent.resolve("file"));
        final JobConfig job = JobConfig.of("test", 0, 1).withDirectory(file);

        assertThatThrownBy(() -> Node.join(job, NodeConfig.defaults()))
                .isExactlyInstanceOf(SegnoException.class)
                .hasMessageContaining(file.toString())
                .hasNoSuppressedExceptions();
    }

    /** Joins ranks on one thread that would wait for each other until their deadline. */
    @Test
    void shouldRefuseAtOnceToJoinRanksThatAreNotOfOneJob() {
        final JobConfig job = JobConfig.of("test", 0, 2).withDirectory(parent);
        assertRefused(job, JobConfig.of("other", 1, 2).withDirectory(parent), "job test", "job other");
        assertRefused(job, JobConfig.of("test", 1, 3).withDirectory(parent), "rank 0 of 2", "rank 1 of 3");
        assertRefused(job, job.withRank(1).withDirectory(parent.resolve("other")), "under " + parent);
        assertRefused(job, job, "given twice: rank 0 of 2 in job test");
        assertThat(parent).isEmptyDirectory();
    }

    private static void assertRefused(JobConfig first, JobConfig second, String... parts) {
        assertThatThrownBy(() -> Node.joinAll(List.of(first, second), NodeConfig.defaults()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContainingAll(parts);
    }

    @Test
    void shouldGiveUpAllRanksWhenAnErrorEndsTheJoin() {
        final JobConfig job = JobConfig.of("test", 0, 2).withDirectory(parent);
        final List<JobConfig> ranks = List.of(job, job.withRank(1));
        final NodeConfig failing = SmallNodes.config(Threading.INVOKER, 2).withIdle(() -> {
            throw new OutOfMemoryError("made by a test");
        });

        assertThatThrownBy(() -> Node.joinAll(ranks, failing))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessage("made by a test");

        assertThat(parent).isEmptyDirectory();
        Node.joinAll(ranks, SmallNodes.config(Threading.INVOKER, 2)).forEach(Node::close);
    }

    @Test
    void shouldLeaveATroubleOfItsOwnAsItIs() {
        final JobConfig job = JobConfig.of("test", 0, 2).withDirectory(parent);
        final NodeJoin first = new NodeJoin(job, NodeConfig.defaults());
        try {
            first.makeFile();
            final SegnoException trouble = new SegnoException("no room");

            assertThat(first.reason(trouble)).isSameAs(trouble);
        } finally {
            first.giveUp();
        }
    }
}
