package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;

@Timeout(60)
class JoiningTest {
    @TempDir
    Path parent;

    @Test
    void shouldSayWhoFailedTheJoinAndNotThatTheDirectoryIsGone() {
        final JobConfig job = JobConfig.of("test", 0, 2).withDirectory(parent);
        final Joining first = new Joining(job, NodeConfig.defaults());
        final Joining second = new Joining(job.withRank(1), NodeConfig.defaults());
        try {
            first.makeFile();
            second.giveUp();
            final long deadlineNs = JobOfNodes.deadline();
            while (Files.exists(JobDirectory.pathOf(job)) && !Deadline.reached(deadlineNs)) {
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
    void shouldLeaveATroubleOfItsOwnAsItIs() {
        final JobConfig job = JobConfig.of("test", 0, 2).withDirectory(parent);
        final Joining first = new Joining(job, NodeConfig.defaults());
        try {
            first.makeFile();
            final SegnoException trouble = new SegnoException("no room");

            assertThat(first.reason(trouble)).isSameAs(trouble);
        } finally {
            first.giveUp();
        }
    }
}
