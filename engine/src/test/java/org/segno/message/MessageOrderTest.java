package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.OverMemoryAndLinks;
import org.segno.operation.Hint;

/** Order of the handlers' calls: that of sending, for all ways in which messages travel. */
@OverMemoryAndLinks
class MessageOrderTest {
    private static final int LONGEST = 4_000;

    /** One immediate length, two eager ones, and three for rendezvous. */
    private static final int[] LENGTHS = {4, 100, 900, 1_200, 2_000, LONGEST};

    private static final List<Hint> HINTS = List.of(Hint.NONE, Hint.NO_RENDEZVOUS, Hint.NO_COPY);

    @TempDir
    Path directory;

    @ParameterizedTest(name = "to context {1} of rank {0}")
    @CsvSource({"0, 0", "0, 1", "1, 0", "1, 1"})
    void shouldCallHandlersInTheOrderOfSending(int rank, int context) {
        try (MessengerPairs all = new MessengerPairs(directory, LONGEST, config -> config)) {
            final TestMessenger from = all.of(0, 0);
            final TestMessenger to = all.of(rank, context);
            final SplittableRandom random = new SplittableRandom(11);
            final int count = 3_000;
            for (long number = 0; number < count; number++) {
                final int length = LENGTHS[random.nextInt(LENGTHS.length)];
                from.numbered(to.context.endpoint(), number, length)
                        .hint(length < 1_000 ? HINTS.get(random.nextInt(3)) : Hint.NONE);
                while (from.messenger.send(from.message) < 0) {
                    // Each step advances a random pair, so that the context that lags behind changes from time to time.
                    all.of(random.nextInt(2), random.nextInt(2)).context.advance();
                }
            }
            all.settle();
            assertThat(to.called).isEqualTo(LongStream.range(0, count).boxed().toList());
            assertThat(to.received).hasSize(count);
            assertThat(to.announced()).isBetween(count / 4L, count - count / 10L);
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldKeepTheOrderOfSeveralSendersEachOnAThreadOfItsOwn(Threading threading) throws Exception {
        try (MessengerPairs all = new MessengerPairs(directory, LONGEST, config -> config.withThreading(threading))) {
            final int count = threading == Threading.INVOKER ? 2_000 : 300;
            all.job.onThreads(rank -> {
                final TestMessenger own = all.of(rank, 0);
                for (long number = 0; number < count; number++) {
                    // A third of the messages goes to itself: each of the two streams has an order.
                    final int to = number % 3 == 0 ? rank : 1 - rank;
                    final int length = LENGTHS[(int) (number * 7 / 3) % LENGTHS.length];
                    own.numbered(all.of(to, 0).context.endpoint(), 2 * number + rank, length);
                    while (own.messenger.send(own.message, own.noting("local"), own.noting("remote")) < 0) {
                        own.context.advance();
                    }
                }
                own.context.await(
                        () -> own.received.size() == count && own.ends.size() == 2 * count, InProcessJob.deadline());
                own.context.barrier(InProcessJob.deadline());
            });
            for (int rank = 0; rank < 2; rank++) {
                final List<Long> called = all.of(rank, 0).called;
                assertThat(called).hasSize(count).doesNotHaveDuplicates();
                assertThat(all.of(rank, 0).ends).containsOnly("local", "remote");
                assertThat(ofSender(called, 0)).isSorted();
                assertThat(ofSender(called, 1)).isSorted();
            }
        }
    }

    private static List<Long> ofSender(List<Long> numbers, int sender) {
        final List<Long> own = new ArrayList<>();
        for (final long number : numbers) {
            if (number % 2 == sender) {
                own.add(number);
            }
        }
        return own;
    }
}
