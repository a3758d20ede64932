package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/** The object that a handler of a messenger receives, for short and long messages. */
class ReceivedMessageTest {
    private static final int DISPATCH = 9;
    private static final int LONGEST = 4_000;

    @TempDir
    Path directory;

    private MessengerPairs all;
    private TestMessenger from;
    private TestMessenger to;
    private Window window;
    private final List<String> seen = new ArrayList<>();
    private final List<@Nullable SegnoException> landed = new ArrayList<>();
    private final UnsafeBuffer metadata = new UnsafeBuffer(new byte[12]);

    @BeforeEach
    void join() {
        join(Threading.INVOKER);
    }

    private void join(Threading threading) {
        all = new MessengerPairs(directory, LONGEST, config -> config.withThreading(threading));
        from = all.of(0, 1);
        to = all.of(1, 0);
        window = all.job.node(1).client().window(2 * LONGEST);
        metadata.putLong(0, 11);
        metadata.putInt(8, 22);
        from.source.buffer().putLong(0, 33);
        from.source.buffer().putInt(8, 44);
    }

    @AfterEach
    void close() {
        all.close();
    }

    private void send(int length) {
        final Message message = new Message()
                .to(to.context.endpoint(), DISPATCH)
                .metadata(metadata, 0, 12)
                .payload(from.source, 0, length);
        assertThat(from.messenger.send(message, null, from.noting("remote"))).isNotNegative();
    }

    @ParameterizedTest
    @ValueSource(ints = {12, LONGEST})
    void shouldGiveAMessageOneLocation(int length) {
        to.messenger.handler(DISPATCH, message -> {
            final long result = message.into(window, 0, landed::add);
            assertThatThrownBy(() -> message.into(window, LONGEST, landed::add))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("call into once");
            seen.add("twice");
            return result;
        });
        send(length);
        all.settle();
        assertThat(seen).containsExactly("twice");
        assertThat(landed).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 900})
    void shouldHaveEverythingOfAShortMessage(int length) {
        to.messenger.handler(DISPATCH, message -> {
            assertThat(message.origin()).isEqualTo(from.context.endpoint());
            assertThat(message.rank()).isZero();
            assertThat(message.dispatchId()).isEqualTo(DISPATCH);
            assertThat(message.isLong()).isFalse();
            assertThat(message.length()).isEqualTo(length);
            assertThat(message.metadataLength()).isEqualTo(12);
            assertThat(message.metadataLong(0)).isEqualTo(11);
            assertThat(message.metadataInt(8)).isEqualTo(22);
            assertThat(message.buffer().getLong(message.metadataOffset())).isEqualTo(11);
            assertThat(message.payloadLong(0)).isEqualTo(33);
            assertThat(message.payloadInt(8)).isEqualTo(44);
            assertThat(message.buffer().getLong(message.payloadOffset())).isEqualTo(33);
            seen.add(message.toString());
            return 0;
        });
        send(length);
        all.settle();
        assertThat(seen).containsExactly("short message of " + length + " bytes for dispatch id 9 from rank 0");
    }

    @Test
    void shouldReportThatThePayloadOfALongMessageIsNotHere() {
        to.messenger.handler(DISPATCH, message -> {
            assertThat(message.origin()).isEqualTo(from.context.endpoint());
            assertThat(message.dispatchId()).isEqualTo(DISPATCH);
            assertThat(message.isLong()).isTrue();
            assertThat(message.length()).isEqualTo(LONGEST);
            assertThat(message.metadataLong(0)).isEqualTo(11);
            assertThat(message.metadataInt(8)).isEqualTo(22);
            assertThatThrownBy(message::payloadOffset)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("the payload of 4000 bytes is still at rank 0")
                    .hasMessageContaining("into(window, offset, landed)");
            assertThatThrownBy(() -> message.payloadLong(0)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> message.payloadInt(0)).isInstanceOf(IllegalStateException.class);
            seen.add(message.toString());
            return message.into(window, LONGEST, landed::add);
        });
        send(LONGEST);
        all.settle();
        assertThat(seen).containsExactly("long message of 4000 bytes for dispatch id 9 from rank 0");
        assertThat(landed).hasSize(1).containsOnlyNulls();
        assertThat(window.getLong(LONGEST)).isEqualTo(33);
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 900, LONGEST})
    void shouldLetAMessageOfAnyLengthLandInAWindow(int length) {
        to.messenger.handler(DISPATCH, message -> {
            final long result = message.into(window, 8, landed::add);
            assertThat(landed).isEmpty();
            return result;
        });
        send(length);
        all.settle();
        assertThat(landed).hasSize(1).containsOnlyNulls();
        assertThat(window.getLong(8)).isEqualTo(33);
        assertThat(window.getInt(16)).isEqualTo(44);
        assertThat(from.ends).containsExactly("remote");
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldGiveEveryMessageItsLocationInEveryThreadingMode(Threading threading) {
        close();
        join(threading);
        final int[] lengths = {12, LONGEST, 900, 700, LONGEST - 1, 16};
        to.messenger.handler(DISPATCH, message -> {
            assertThat(message.length()).isEqualTo(lengths[landed.size()]);
            assertThat(message.isLong()).isEqualTo(message.length() > 900);
            assertThat(message.origin()).isEqualTo(from.context.endpoint());
            assertThat(message.metadataInt(8)).isEqualTo(22);
            return message.into(window, 8, landed::add);
        });
        for (int sent = 0; sent < lengths.length; ) {
            from.source.buffer().putLong(0, -sent);
            send(lengths[sent]);
            sent++;
            final int count = sent;
            all.settleUntil(() -> landed.size() == count && from.ends.size() == count);
            assertThat(window.getLong(8)).isEqualTo(1 - sent);
            assertThat(window.getInt(16)).isEqualTo(44);
        }
        assertThat(landed).containsOnlyNulls();
        assertThat(from.ends).containsOnly("remote");
    }

    @ParameterizedTest
    @ValueSource(ints = {12, 900, LONGEST})
    void shouldRunNoCompletionOfAMessageThatIsReceivedAgain(int length) {
        to.messenger.handler(DISPATCH, message -> {
            seen.add("called");
            if (seen.size() < 3) {
                message.into(window, 0, landed::add);
                return Status.AGAIN;
            }
            return message.into(window, LONGEST, failure -> seen.add("landed"));
        });
        send(length);
        for (int pass = 0; pass < 50; pass++) {
            from.context.advance();
            to.context.advance();
        }
        assertThat(seen).containsExactly("called", "called", "called", "landed");
        assertThat(landed).isEmpty();
        assertThat(window.getLong(LONGEST)).isEqualTo(33);
    }

    @ParameterizedTest
    @ValueSource(ints = {12, LONGEST})
    void shouldRefuseAPlaceThatDoesNotHoldTheMessageOrIsNotOfThisNode(int length) {
        to.messenger.handler(DISPATCH, message -> {
            assertThatThrownBy(() -> message.into(window, window.length() - length + 1, landed::add))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("landing range");
            assertThatThrownBy(() -> message.into(from.source, 0, landed::add))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("rank 0");
            seen.add("refused");
            return 0;
        });
        send(length);
        all.settle();
        assertThat(seen).containsExactly("refused");
        assertThat(landed).isEmpty();
        assertThat(from.ends).hasSize(1);
        assertThat(from.ends.get(0)).contains(length == LONGEST ? RefusedException.class.getSimpleName() : "remote");
    }

    @ParameterizedTest
    @ValueSource(ints = {12, LONGEST})
    void shouldBeInvalidOnceTheHandlerHasReturned(int length) {
        final List<ReceivedMessage> kept = new ArrayList<>();
        to.messenger.handler(DISPATCH, message -> {
            kept.add(message);
            return 0;
        });
        send(length);
        all.settle();
        final ReceivedMessage message = kept.get(0);
        final List<Runnable> calls = List.of(
                message::origin,
                message::length,
                message::buffer,
                message::payloadOffset,
                () -> message.metadataLong(0),
                () -> message.into(window, 0, landed::add));
        for (final Runnable call : calls) {
            assertThatThrownBy(call::run)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("valid only until its handler returns");
        }
        assertThat(message).hasToString("no message");
    }

    @Test
    void shouldNameARangeOutsideAMessage() {
        to.messenger.handler(DISPATCH, message -> {
            for (final int offset : new int[] {-1, 5, 12, Integer.MAX_VALUE}) {
                assertThatThrownBy(() -> message.metadataLong(offset))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("metadata range [" + offset + ", " + offset + " + 8) lies outside the 12 bytes of"
                                + " a message for dispatch id 9 of rank 0");
                assertThatThrownBy(() -> message.payloadLong(offset))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("payload range [" + offset);
            }
            assertThatThrownBy(() -> message.metadataInt(9)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> message.payloadInt(9)).isInstanceOf(IllegalArgumentException.class);
            seen.add("named");
            return 0;
        });
        send(12);
        all.settle();
        assertThat(seen).containsExactly("named");
    }

    @Test
    void shouldWaitWhileThereIsNoRoomForTheCompletionOfAShortMessage() {
        close();
        all = new MessengerPairs(directory, LONGEST, config -> config.withLaneBudgetBytes(1 << 20));
        from = all.of(0, 0);
        to = all.of(1, 0);
        window = all.job.node(1).client().window(64);
        final List<Long> results = new ArrayList<>();
        to.messenger.handler(DISPATCH, message -> {
            final long result = message.into(window, 0, landed::add);
            results.add(result);
            return result;
        });
        final int count = PendingCompletions.CAPACITY + 300;
        final Message message =
                new Message().to(to.context.endpoint(), DISPATCH).payload(from.source, 0, 8);
        for (int sent = 0; sent < count; sent++) {
            while (from.messenger.send(message) < 0) {
                from.context.advance();
            }
        }
        from.context.advance();
        to.context.advance(count);
        assertThat(landed).isEmpty();
        assertThat(results).hasSize(PendingCompletions.CAPACITY + 1).endsWith(0L, Status.AGAIN);
        to.context.advance(count);
        assertThat(landed).hasSize(PendingCompletions.CAPACITY).containsOnlyNulls();
        all.settle();
        assertThat(landed).hasSize(count);
    }
}
