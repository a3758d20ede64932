package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Context;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.PeerFailedException;
import org.segno.status.Status;

/**
 * Reports of deaths to the application. The deaths are written to the states of peers, as the membership thread does.
 */
@Timeout(60)
@OverMemoryAndLinks
class DeathHandlerTest {
    private static final int ID = 6;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[Long.BYTES]);
    private final List<String> events = new ArrayList<>();

    @TempDir
    Path parent;

    private static void change(InProcessJob job, int rank, int state) {
        new PeerStates(job.node(0).memory()).change(rank, state);
    }

    private static void advance(Context context, int passes) {
        for (int pass = 0; pass < passes; pass++) {
            context.advance();
        }
    }

    /** Sends numbers from 0 on to rank 0, until they have been stored there. */
    private void send(InProcessJob job, int rank, int count) {
        final Context context = job.context(rank);
        final long deadlineNs = InProcessJob.deadline();
        for (int number = 0; number < count; number++) {
            bytes.putLong(0, number);
            assertThat(context.sendImmediate(0, ID, bytes, 0, Long.BYTES)).isNotNegative();
            while (!context.isDrained() && !Deadline.reached(deadlineNs)) {
                context.advance();
            }
        }
        assertThat(context.isDrained()).isTrue();
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    @MappedOnly(value = MappedOnly.ONE_THREAD, threading = "INVOKER")
    void shouldReportADeathOnceAfterTheDataOfThatRank(Threading threading) {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(threading, 2))) {
            final Context context = job.context(0);
            context.handler(ID, (source, buffer, m, ml, p, pl) -> events.add("message " + buffer.getLong(p)));
            context.onDeath(rank -> events.add("death " + rank));
            send(job, 1, 5);
            change(job, 1, PeerStates.DEAD);

            // One record in each pass, so that the death is known long before the last record is read.
            for (int pass = 0; pass < 20; pass++) {
                context.advance(1);
            }

            assertThat(events)
                    .containsExactly("message 0", "message 1", "message 2", "message 3", "message 4", "death 1");
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldReportADeathWithinTheWaitThatItEnds(Threading threading) {
        try (InProcessJob job = InProcessJob.join(parent, 3, SmallNodes.config(threading, 3))) {
            final Context context = job.context(0);
            context.onDeath(rank -> events.add("death " + rank));
            change(job, 2, PeerStates.DEAD);

            assertThatThrownBy(() -> context.await(() -> false, InProcessJob.deadline()))
                    .isInstanceOf(PeerFailedException.class);
            assertThat(events).containsExactly("death 2");
        }
    }

    @Test
    void shouldReportRanksThatDiedBeforeAndNoneThatLeft() {
        try (InProcessJob job = InProcessJob.join(parent, 4, SmallNodes.config(Threading.INVOKER, 4))) {
            final Context context = job.context(0);
            change(job, 3, PeerStates.DEAD);
            change(job, 2, PeerStates.LEFT);
            context.onDeath(rank -> events.add("first " + rank));
            assertThat(context.advance()).as("the report is work").isEqualTo(1);
            change(job, 1, PeerStates.DEAD);
            advance(context, 5);
            assertThat(events).containsExactly("first 3", "first 1");

            // A later handler gets all of them, too.
            context.onDeath(rank -> events.add("second " + rank));
            advance(context, 5);

            assertThat(events).containsExactly("first 3", "first 1", "second 1", "second 3");
        }
    }

    @Test
    void shouldReportTheRestToAHandlerThatIsRegisteredInAReport() {
        try (InProcessJob job = InProcessJob.join(parent, 3, SmallNodes.config(Threading.INVOKER, 3))) {
            final Context context = job.context(0);
            change(job, 1, PeerStates.DEAD);
            change(job, 2, PeerStates.DEAD);
            context.onDeath(first -> {
                events.add("first " + first);
                context.onDeath(rank -> events.add("second " + rank));
            });
            advance(context, 5);

            assertThat(events).containsExactly("first 1", "second 1", "second 2");
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldReportADeathAfterAMessageThatItsHandlerRefusedForAWhile() {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            final Context context = job.context(0);
            final int[] refusals = {3};
            context.replyingHandler(ID, (source, buffer, m, ml, p, pl) -> {
                events.add("message");
                return refusals[0]-- > 0 ? Status.AGAIN : 0;
            });
            context.onDeath(rank -> events.add("death"));
            send(job, 1, 1);
            change(job, 1, PeerStates.DEAD);
            advance(context, 10);

            assertThat(events).containsExactly("message", "message", "message", "message", "death");
        }
    }

    @Test
    void shouldReportTheOthersWhenAHandlerThrows() {
        try (InProcessJob job = InProcessJob.join(parent, 3, SmallNodes.config(Threading.INVOKER, 3))) {
            final Context context = job.context(0);
            context.onDeath(rank -> {
                events.add("death " + rank);
                if (rank == 1) {
                    throw new IllegalArgumentException("not this one");
                }
            });
            change(job, 1, PeerStates.DEAD);
            change(job, 2, PeerStates.DEAD);

            assertThatThrownBy(context::advance).isInstanceOf(IllegalArgumentException.class);
            advance(context, 5);

            assertThat(events).containsExactly("death 1", "death 2");
        }
    }

    @Test
    void shouldLetTheHandlerSendButNotAdvance() {
        try (InProcessJob job = InProcessJob.join(parent, 3, SmallNodes.config(Threading.INVOKER, 3))) {
            final Context context = job.context(0);
            job.context(1).handler(ID, (source, buffer, m, ml, p, pl) -> events.add("dead: " + buffer.getLong(p)));
            context.onDeath(rank -> {
                bytes.putLong(0, rank);
                context.sendImmediate(1, ID, bytes, 0, Long.BYTES);
                assertThatThrownBy(context::advance)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("cannot advance");
            });
            change(job, 2, PeerStates.DEAD);
            job.advanceUntil(() -> !events.isEmpty());

            assertThat(events).containsExactly("dead: 2");
        }
    }

    @Test
    void shouldReportNothingInsideARecording() {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            final Context context = job.context(0);
            final Window window = job.node(0).client().window(64);
            context.onDeath(rank -> events.add("death"));
            change(job, 1, PeerStates.DEAD);
            context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
                context.copy(window, 0, window, 32, 8);
                context.advance();
                assertThat(events).isEmpty();
            });
            context.advance();

            assertThat(events).containsExactly("death");
        }
    }
}
