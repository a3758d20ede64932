package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/** Deferred messages of several senders that leave one after the other, in the same place of the receiver. */
class LostDeferralTest {
    private static final int LENGTH = 100_000;
    private static final int SENDERS = 3;

    @TempDir
    Path directory;

    @Test
    void shouldReportTheEndOfEachSenderAlthoughTheirMessagesHadOnePlace() {
        final NodeConfig config = NodeConfig.defaults()
                .withThreading(Threading.INVOKER)
                .withDeferredMessages(1)
                .withWindowBytes(TestMessenger.windowBytes(LENGTH) + LENGTH + 10_000);
        try (InProcessJob job = InProcessJob.join(directory, SENDERS + 1, config)) {
            final List<TestMessenger> all = new ArrayList<>();
            for (int rank = 0; rank <= SENDERS; rank++) {
                all.add(new TestMessenger(job.node(rank).client(), job.context(rank), LENGTH));
            }
            final TestMessenger to = all.get(0);
            final Window window = job.node(0).client().window(LENGTH);
            final List<Long> tokens = new ArrayList<>();
            to.messenger.handler(TestMessenger.DISPATCH, message -> {
                final long token = message.defer();
                if (token > 0) {
                    tokens.add(token);
                }
                return token;
            });
            for (int rank = 1; rank <= SENDERS; rank++) {
                final TestMessenger from = all.get(rank);
                assertThat(from.messenger.send(from.numbered(to.context.endpoint(), rank, LENGTH)))
                        .isNotNegative();
                final long deadlineNs = InProcessJob.deadline();
                while (tokens.size() < rank && !Deadline.reached(deadlineNs)) {
                    from.context.advance();
                    to.context.advance();
                }
                assertThat(tokens).hasSize(rank);
                job.node(rank).close();
                while (to.context.failure(rank) == null && !Deadline.reached(deadlineNs)) {
                    to.context.advance();
                }
                to.context.advance();
            }

            final List<@Nullable SegnoException> ends = new ArrayList<>();
            assertThat(to.messenger.accept(tokens.get(1), window, 0, ends::add)).isZero();
            to.messenger.decline(tokens.get(2));
            assertThat(to.messenger.accept(tokens.get(0), window, 0, ends::add)).isZero();
            to.context.advance();
            assertThat(ends).hasSize(2).allMatch(ClosedException.class::isInstance);
            assertThat(ends.get(0)).hasMessageContaining("rank 2 has left");
            assertThat(ends.get(1)).hasMessageContaining("rank 1 has left");
            for (final long token : tokens) {
                assertThatThrownBy(() -> to.messenger.decline(token)).isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    @Test
    void shouldAcceptAMessageWhoseHandlerHasDeclinedOneOfARankThatHasLeft() {
        final NodeConfig config = NodeConfig.defaults()
                .withThreading(Threading.INVOKER)
                .withWindowBytes(TestMessenger.windowBytes(LENGTH) + LENGTH + 10_000);
        try (InProcessJob job = InProcessJob.join(directory, 3, config)) {
            final List<TestMessenger> all = new ArrayList<>();
            for (int rank = 0; rank < 3; rank++) {
                all.add(new TestMessenger(job.node(rank).client(), job.context(rank), LENGTH));
            }
            final TestMessenger to = all.get(0);
            final List<Long> tokens = new ArrayList<>();
            final long deadlineNs = InProcessJob.deadline();
            to.messenger.handler(TestMessenger.DISPATCH, message -> {
                tokens.add(message.defer());
                if (tokens.size() == 2) {
                    // Before the pass removes the messages of this rank.
                    job.node(2).close();
                    while (to.context.failure(2) == null && !Deadline.reached(deadlineNs)) {
                        Thread.onSpinWait();
                    }
                    assertThat(to.context.failure(2)).isInstanceOf(ClosedException.class);
                    to.messenger.decline(tokens.get(0));
                }
                return tokens.get(tokens.size() - 1);
            });
            final Window window = job.node(0).client().window(LENGTH);
            final List<@Nullable SegnoException> sent = new ArrayList<>();
            final List<@Nullable SegnoException> landed = new ArrayList<>();
            for (int rank = 2; rank >= 1; rank--) {
                final TestMessenger from = all.get(rank);
                from.messenger.send(from.numbered(to.context.endpoint(), rank, LENGTH), null, sent::add);
                while (tokens.size() < 3 - rank && !Deadline.reached(deadlineNs)) {
                    from.context.advance();
                    to.context.advance();
                }
            }
            assertThat(to.messenger.accept(tokens.get(1), window, 0, landed::add))
                    .isZero();
            while (sent.isEmpty() && !Deadline.reached(deadlineNs)) {
                all.get(1).context.advance();
                to.context.advance();
            }

            assertThat(sent).containsExactly((SegnoException) null);
            assertThat(landed).containsExactly((SegnoException) null);
        }
    }
}
