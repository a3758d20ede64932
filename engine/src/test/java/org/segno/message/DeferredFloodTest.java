package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig.Threading;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/**
 * Two ranks that defer every long message of the other, and accept them one by one, each from the completion of the
 * last or in the application: all arrive, and handlers run in the order of sending.
 */
@Timeout(120)
class DeferredFloodTest {
    private static final int DISPATCH = 9;
    private static final int LONGEST = 2_000;
    private static final int[] LENGTHS = {8, LONGEST, 100, 1_500, 1_200};

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldLandEveryDeferredMessageInEveryThreadingMode(Threading threading) throws Exception {
        final int count = threading == Threading.INVOKER ? 3_000 : 400;
        try (MessengerPairs all = new MessengerPairs(
                directory, LONGEST, config -> config.withThreading(threading).withDeferredMessages(5))) {
            all.job.onThreads(rank -> new Receiver(all, rank).exchange(count));
        }
    }

    private static final class Receiver {
        private final TestMessenger own;
        private final TestMessenger peer;
        private final Window landing;
        private final List<Long> called = new ArrayList<>();

        /** Tokens and lengths of deferred messages. */
        private final Queue<long[]> waiting = new ArrayDeque<>();

        private boolean isLanding;
        private int arrived;
        private int ended;

        Receiver(MessengerPairs all, int rank) {
            own = all.of(rank, 0);
            peer = all.of(1 - rank, 0);
            landing = all.job.node(rank).client().window(LONGEST);
            own.messenger.handler(DISPATCH, this::onMessage);
            for (int at = 0; at < LONGEST; at++) {
                own.source.putByte(at, (byte) (at + rank));
            }
        }

        private long onMessage(ReceivedMessage message) {
            final long token = message.isLong() ? message.defer() : 0;
            if (token >= 0) {
                called.add(message.metadataLong(0));
            }
            if (token > 0) {
                waiting.add(new long[] {token, message.length()});
            } else if (token == 0) {
                arrived++;
            }
            return token;
        }

        /** Accepts the oldest deferred message, unless one is landing. */
        private void acceptNext() {
            final long[] next = isLanding ? null : waiting.poll();
            if (next != null) {
                isLanding = true;
                landing.putByte(next[1] - 1, (byte) 0);
                final long accepted = own.messenger.accept(next[0], landing, 0, failure -> landed(next[1], failure));
                assertThat(accepted).isZero();
            }
        }

        private void landed(long length, @Nullable SegnoException failure) {
            assertThat(failure).isNull();
            final byte last = (byte) (length - 1 + peer.context.rank());
            assertThat(landing.getByte(length - 1)).isEqualTo(last);
            isLanding = false;
            arrived++;
            acceptNext();
        }

        private void advance() {
            own.context.advance();
            acceptNext();
        }

        void exchange(int count) {
            own.context.barrier(InProcessJob.deadline());
            for (long number = 0; number < count; number++) {
                final int length = LENGTHS[(int) number % LENGTHS.length];
                own.numbered(peer.context.endpoint(), number, length).to(peer.context.endpoint(), DISPATCH);
                while (own.messenger.send(own.message, null, failure -> ended++) < 0) {
                    advance();
                }
            }
            final long deadlineNs = InProcessJob.deadline();
            while ((arrived < count || ended < count) && !Deadline.reached(deadlineNs)) {
                advance();
            }
            assertThat(called).isEqualTo(LongStream.range(0, count).boxed().toList());
            assertThat(arrived).isEqualTo(count);
            assertThat(ended).isEqualTo(count);
            own.context.barrier(InProcessJob.deadline());
        }
    }
}
