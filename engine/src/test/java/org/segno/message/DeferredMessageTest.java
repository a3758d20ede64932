package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.OverMemoryAndLinks;
import org.segno.operation.Message;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/** Long messages that a handler defers, and their acceptance, refusal and end. */
@OverMemoryAndLinks
class DeferredMessageTest {
    private static final int DISPATCH = 9;
    private static final int LENGTH = 3_000;
    private static final int LIMIT = 20;

    @TempDir
    Path directory;

    private MessengerPairs all;
    private TestMessenger from;
    private TestMessenger to;
    private Window window;

    /** Numbers of the messages in the order of the handler's calls that handled them. */
    private final List<Long> called = new ArrayList<>();

    private final List<Long> tokens = new ArrayList<>();
    private final List<@Nullable SegnoException> landed = new ArrayList<>();

    @BeforeEach
    void join() {
        all = new MessengerPairs(
                directory, LENGTH, config -> config.withDeferredMessages(LIMIT).withWindowBytes(600_000));
        from = all.of(0, 0);
        to = all.of(1, 0);
        window = all.job.node(1).client().window(64L * LENGTH);
        to.messenger.handler(DISPATCH, this::defer);
    }

    @AfterEach
    void close() {
        all.close();
    }

    /** Defers long messages and handles short ones. */
    private long defer(ReceivedMessage message) {
        final long result = message.isLong() ? message.defer() : 0;
        if (result >= 0) {
            called.add(message.metadataLong(0));
        }
        if (result > 0) {
            tokens.add(result);
        }
        return result;
    }

    private long send(long number, int length) {
        from.numbered(to.context.endpoint(), number, length).to(to.context.endpoint(), DISPATCH);
        return from.messenger.send(from.message, null, from.noting("remote " + number));
    }

    private void accept(int index, long offset) {
        assertThat(to.messenger.accept(tokens.get(index), window, offset, landed::add))
                .isZero();
    }

    private String at(long offset) {
        final byte[] bytes = new byte[LENGTH];
        window.buffer().getBytes((int) offset, bytes);
        return HexFormat.of().formatHex(bytes);
    }

    @Test
    void shouldNotDelayLaterMessagesAndLandWhenItIsAccepted() {
        from.source.buffer().putBytes(0, TestMessenger.bytes(3, LENGTH));
        send(1, LENGTH);
        send(2, 8);
        send(3, LENGTH);
        send(4, 500);
        all.settle();
        assertThat(called).containsExactly(1L, 2L, 3L, 4L);
        assertThat(tokens).hasSize(2).doesNotHaveDuplicates().allMatch(token -> token > 0);
        assertThat(from.ends).containsExactly("remote 2", "remote 4");

        accept(1, 100);
        assertThat(landed).isEmpty();
        all.settle();
        assertThat(landed).hasSize(1).containsOnlyNulls();
        assertThat(at(100)).isEqualTo(HexFormat.of().formatHex(TestMessenger.bytes(3, LENGTH)));
        assertThat(from.ends).endsWith("remote 3");
        accept(0, LENGTH);
        all.settle();
        assertThat(landed).hasSize(2).containsOnlyNulls();
        assertThat(from.ends).endsWith("remote 1");
    }

    @Test
    void shouldAcceptMoreMessagesAtOnceThanAreFetchedAtATime() {
        for (long number = 0; number < LIMIT; number++) {
            assertThat(send(number, LENGTH)).isNotNegative();
        }
        all.settle();
        assertThat(LIMIT).isGreaterThan(2 * RendezvousReceives.SLOTS);
        for (int index = LIMIT - 1; index >= 0; index--) {
            accept(index, (long) index * LENGTH);
        }
        all.settle();
        assertThat(landed).hasSize(LIMIT).containsOnlyNulls();
        assertThat(from.ends).hasSize(LIMIT).allMatch(end -> end.matches("remote \\d+"));
    }

    @Test
    void shouldReceiveFurtherMessagesAgainWhileTheLimitIsReached() {
        for (long number = 0; number < LIMIT + 3; number++) {
            assertThat(send(number, LENGTH)).isNotNegative();
        }
        for (int pass = 0; pass < 20; pass++) {
            from.context.advance();
            to.context.advance();
        }
        assertThat(tokens).hasSize(LIMIT);
        accept(0, 0);
        to.messenger.decline(tokens.get(1));
        all.settle();
        assertThat(tokens).hasSize(LIMIT + 2).doesNotHaveDuplicates();
        for (int index = 2; index < LIMIT + 2; index++) {
            accept(index, 0);
        }
        all.settle();
        accept(LIMIT + 2, 0);
        all.settle();
        assertThat(called).isEqualTo(LongStream.range(0, LIMIT + 3).boxed().toList());
        assertThat(landed).hasSize(LIMIT + 2).containsOnlyNulls();
        assertThat(from.ends).hasSize(LIMIT + 3);
    }

    @Test
    void shouldNotDeferWhereTheLimitIsZero() {
        close();
        all = new MessengerPairs(directory, LENGTH, config -> config.withDeferredMessages(0));
        from = all.of(0, 0);
        to = all.of(1, 0);
        to.messenger.handler(DISPATCH, this::defer);
        send(1, LENGTH);
        send(2, 8);
        for (int pass = 0; pass < 20; pass++) {
            from.context.advance();
            to.context.advance();
        }
        assertThat(called).isEmpty();
    }

    @Test
    void shouldNotifyTheSenderOfADeclinedMessage() {
        send(1, LENGTH);
        all.settle();
        to.messenger.decline(tokens.get(0));
        all.settle();
        assertThat(from.ends).singleElement().asString().contains("RefusedException", "no landing place");
        requireUnknown(tokens.get(0));
    }

    private void requireUnknown(long token) {
        assertThatThrownBy(() -> to.messenger.accept(token, window, 0, landed::add))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no message is deferred under this token")
                .hasMessageContaining("token=" + token);
        assertThatThrownBy(() -> to.messenger.decline(token))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no message is deferred under this token");
    }

    @Test
    void shouldRefuseStaleAndUnknownTokens() {
        for (final long token : new long[] {0, -1, 1, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE}) {
            requireUnknown(token);
        }
        send(1, LENGTH);
        all.settle();
        final long first = tokens.get(0);
        accept(0, 0);
        requireUnknown(first);
        all.settle();
        requireUnknown(first);

        // The next message takes the same slot.
        send(2, LENGTH);
        all.settle();
        requireUnknown(first);
        accept(1, 0);
        all.settle();
        assertThat(landed).hasSize(2).containsOnlyNulls();
    }

    @Test
    void shouldRefuseATokenOfAnotherMessenger() {
        final TestMessenger other = all.of(1, 1);
        final List<Long> ofOther = new ArrayList<>();
        other.messenger.handler(DISPATCH, message -> {
            ofOther.add(message.defer());
            return ofOther.get(0);
        });
        send(1, LENGTH);
        from.messenger.send(from.message.to(other.context.endpoint(), DISPATCH));
        all.settle();
        assertThat(ofOther).hasSize(1);
        requireUnknown(ofOther.get(0));
        assertThat(other.messenger.accept(ofOther.get(0), window, 0, landed::add))
                .isZero();
        accept(0, LENGTH);
        all.settle();
        assertThat(landed).hasSize(2).containsOnlyNulls();
    }

    @Test
    void shouldDeferNothingWhenTheHandlerReturnsAgainOrThrows() {
        to.messenger.handler(DISPATCH, message -> {
            tokens.add(message.defer());
            assertThat(message.defer()).as("the same message").isEqualTo(tokens.get(tokens.size() - 1));
            requireUnknown(tokens.get(tokens.size() - 1));
            if (tokens.size() == 1) {
                return Status.AGAIN;
            }
            throw new IllegalStateException("mine");
        });
        send(1, LENGTH);
        assertThatThrownBy(all::settle).hasMessage("mine");
        all.settle();
        assertThat(tokens).hasSize(2);
        tokens.forEach(this::requireUnknown);
        assertThat(from.ends).singleElement().asString().contains("RefusedException");
        requireRoomForAll();
    }

    /** Defers as many messages as the limit allows, which shows that no earlier one takes room. */
    private void requireRoomForAll() {
        tokens.clear();
        to.messenger.handler(DISPATCH, this::defer);
        for (long number = 0; number < LIMIT; number++) {
            assertThat(send(number, LENGTH)).isNotNegative();
        }
        all.settle();
        assertThat(tokens).hasSize(LIMIT);
    }

    @Test
    void shouldRefuseToDeferAShortMessage() {
        final List<Throwable> thrown = new ArrayList<>();
        to.messenger.handler(DISPATCH, message -> {
            try {
                return message.defer();
            } catch (final IllegalStateException e) {
                thrown.add(e);
                return 0;
            }
        });
        send(1, 8);
        all.settle();
        assertThat(thrown).singleElement().asString().contains("a short message cannot be deferred");
    }

    @Test
    void shouldRefuseToDeferAMessageThatHasAPlaceAndTheReverse() {
        to.messenger.handler(DISPATCH, message -> {
            final boolean placed = message.metadataLong(0) == 1;
            if (placed) {
                assertThat(message.into(window, 0, landed::add)).isZero();
                assertThatThrownBy(message::defer)
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("call either into or defer");
                return 0;
            }
            tokens.add(message.defer());
            assertThatThrownBy(() -> message.into(window, 0, landed::add))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("is deferred already");
            return 0;
        });
        send(1, LENGTH);
        send(2, LENGTH);
        all.settle();
        assertThat(landed).hasSize(1).containsOnlyNulls();
        accept(0, LENGTH);
        all.settle();
        assertThat(landed).hasSize(2).containsOnlyNulls();
    }

    @Test
    void shouldKeepAMessageDeferredWhoseAcceptanceIsWrong() {
        send(1, LENGTH);
        all.settle();
        final long token = tokens.get(0);
        final long end = window.length();
        assertThatThrownBy(() -> to.messenger.accept(token, window, end - LENGTH + 1, landed::add))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("landing range");
        assertThatThrownBy(() -> to.messenger.accept(token, from.source, 0, landed::add))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("rank 0");
        accept(0, end - LENGTH);
        all.settle();
        assertThat(landed).hasSize(1).containsOnlyNulls();
    }

    @Test
    void shouldBeAcceptedInAnotherHandlerAndDeclinedInACompletion() {
        to.messenger.handler(DISPATCH + 1, message -> {
            accept(0, 0);
            return 0;
        });
        send(1, LENGTH);
        send(2, LENGTH);
        final Message last =
                new Message().to(to.context.endpoint(), DISPATCH + 1).payload(from.source, 0, 8);
        from.messenger.send(last);
        all.settle();
        assertThat(landed).hasSize(1).containsOnlyNulls();
        assertThat(from.ends).containsExactly("remote 1");

        send(3, LENGTH);
        all.settle();
        to.messenger.accept(tokens.get(2), window, 0, failure -> to.messenger.decline(tokens.get(1)));
        all.settle();
        assertThat(from.ends).hasSize(3).contains("remote 3");
        assertThat(from.ends.get(2)).startsWith("remote 2: RefusedException");
    }

    @Test
    void shouldFindNothingToDoWhileMessagesAreDeferred() {
        send(1, LENGTH);
        all.settle();
        for (int pass = 0; pass < 10; pass++) {
            assertThat(to.context.advance()).isZero();
        }
    }

    @Test
    void shouldEndTheDeferredMessagesOfASenderThatHasLeft() {
        final int count = LIMIT - 2;
        for (long number = 0; number < count; number++) {
            send(number, LENGTH);
        }
        all.settle();
        final TestMessenger self = all.of(1, 1);
        all.job.node(0).close();
        final long deadlineNs = InProcessJob.deadline();
        while (to.context.failure(0) == null && !Deadline.reached(deadlineNs)) {
            to.context.advance();
        }
        to.context.advance();
        // Their room is free again.
        for (int number = 0; number < LIMIT; number++) {
            final Message message = self.numbered(to.context.endpoint(), number, LENGTH);
            assertThat(self.messenger.send(message.to(to.context.endpoint(), DISPATCH)))
                    .isNotNegative();
            self.context.advance();
        }
        to.context.advance();
        to.context.advance();
        to.context.advance();
        assertThat(tokens).hasSize(count + LIMIT);

        accept(0, 0);
        to.messenger.decline(tokens.get(1));
        accept(count, 0);
        for (int pass = 0; pass < 20; pass++) {
            self.context.advance();
            to.context.advance();
        }
        assertThat(landed).hasSize(2);
        assertThatThrownBy(() -> accept(0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> to.messenger.decline(tokens.get(1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> to.messenger.decline(0x1234_0000_0000L)).isInstanceOf(IllegalArgumentException.class);
        assertThat(landed).hasSize(2);
        assertThat(landed.get(0)).isInstanceOf(ClosedException.class).hasMessageContaining("rank 0 has left the job");
        assertThat(landed.get(1)).isNull();
    }

    @Test
    void shouldNotifySendersAndTheLogWhenTheNodeIsClosedWithDeferredMessages() {
        send(1, LENGTH);
        send(2, LENGTH);
        all.settle();
        final List<String> logged = new CopyOnWriteArrayList<>();
        final Logger logger = Logger.getLogger("org.segno.node.Node");
        final Handler handler = new Handler() {
            @Override
            public void publish(LogRecord entry) {
                if (entry.getLevel().equals(Level.WARNING)) {
                    logged.add(entry.getMessage());
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(handler);
        try {
            all.job.node(1).close();
        } finally {
            logger.removeHandler(handler);
        }
        assertThat(logged)
                .singleElement()
                .asString()
                .contains("rank 1 closes with 2 deferred messages that have not landed at context 0 of rank 1");
        assertThatThrownBy(() -> to.messenger.accept(tokens.get(0), window, 0, landed::add))
                .isInstanceOf(ClosedException.class)
                .hasMessageContaining("rank 1 was closed");
        assertThatThrownBy(() -> to.messenger.decline(tokens.get(0))).isInstanceOf(ClosedException.class);
        final long deadlineNs = InProcessJob.deadline();
        while (from.ends.size() < 2 && !Deadline.reached(deadlineNs)) {
            from.context.advance();
        }
        assertThat(from.ends).hasSize(2).allMatch(end -> end.contains("rank 1 has left the job"));
    }

    @Test
    void shouldHaveSixtyFourByDefault() {
        assertThat(NodeConfig.defaults()).isNotNull();
        assertThat(all.job.node(1).limits().messages().deferredMessages()).isEqualTo(LIMIT);
        close();
        all = new MessengerPairs(directory, LENGTH, config -> config);
        assertThat(all.job.node(1).limits().messages().deferredMessages()).isEqualTo(64);
    }
}
