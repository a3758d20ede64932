package org.segno.collective;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.memory.NodeLayout;
import org.segno.node.InProcessJob;
import org.segno.node.OverMemoryAndLinks;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** What a wait for a round says at its deadline, if the counter that it waits for has several senders. */
@OverMemoryAndLinks
@Timeout(120)
class StartedRoundsTest {
    private static final int MEMBERS = 4;
    private static final int LATE = 2;
    private static final long PATIENCE_MS = 100;

    @TempDir
    Path directory;

    @ParameterizedTest
    @ValueSource(strings = {"counters", "dissemination"})
    void shouldNameTheMemberThatHasNotStarted(String algorithm) throws Exception {
        final CountDownLatch started = new CountDownLatch(MEMBERS - 1);
        final CountDownLatch late = new CountDownLatch(MEMBERS - 1);
        WorldMember.run(directory, MEMBERS, member -> {
            final Collective barrier = member.world().prepare(Call.barrier().by(algorithm), InProcessJob.deadline());
            for (int round = 0; round < 3; round++) {
                barrier.run(InProcessJob.deadline());
            }
            if (member.self() == LATE) {
                assertThat(late.await(60, TimeUnit.SECONDS)).isTrue();
                barrier.run(InProcessJob.deadline());
                return;
            }
            assertThat(barrier.start()).isEqualTo(4);
            started.countDown();
            assertThat(started.await(60, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> barrier.await(Deadline.in(PATIENCE_MS, MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class)
                    .hasMessageMatching(".*; member 2 \\(rank 2\\) has started 3 of 4 rounds here");
            late.countDown();
            barrier.await(InProcessJob.deadline());
        });
    }

    /** A window takes whole lines: a part of one would be missing for the windows behind it. */
    @Test
    void shouldNeedWholeLinesOfAWindow() {
        for (int members = 1; members <= 40; members++) {
            assertThat(Agreement.bytes(members) % NodeLayout.LINE_PAIR)
                    .as("members=%d", members)
                    .isZero();
        }
    }

    @Test
    void shouldWriteNothingToTheWindowOfAClosedGeometry() throws Exception {
        WorldMember.run(directory, 2, member -> {
            final Geometry left = Objects.requireNonNull(member.world().split(0, 0, InProcessJob.deadline()));
            final Collective barrier = left.prepare(Call.barrier(), InProcessJob.deadline());
            barrier.run(InProcessJob.deadline());
            final long slots = left.agreement().own().addressOffset() + Proposal.LENGTH;
            final UnsafeBuffer word = new UnsafeBuffer(slots + 2L * Proposal.LENGTH, Long.BYTES);
            assertThat(word.getLong(0)).isEqualTo(1);
            left.close();
            final StartedRounds rounds = left.agreement().started();
            final long last = word.getLong(0);
            assertThat(rounds.next()).isEqualTo(2);
            assertThat(word.getLong(0)).isEqualTo(last);
            rounds.ask(new int[] {0, 1}, member.self());
            assertThat(rounds.of(1 - member.self())).isEqualTo(StartedRounds.NO_ANSWER);
            barrier.close();
        });
    }
}
