package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.LongStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Hint;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/** Replies of a messenger's handlers: of any length, to the origin of the handled message, with completions. */
class ReplyTest {
    private static final int REQUEST = 9;
    private static final int LONGEST = 4_000;

    /** Bytes of metadata and payload that one record of a reply lane holds. */
    private static final int REPLY_QUARTER = 248;

    @TempDir
    Path directory;

    private MessengerPairs all;
    private TestMessenger from;
    private TestMessenger to;
    private final Message request = new Message();
    private int replies;

    @BeforeEach
    void join() {
        join(Threading.INVOKER);
    }

    private void join(Threading threading) {
        all = new MessengerPairs(directory, LONGEST, config -> config.withThreading(threading));
        from = all.of(0, 1);
        to = all.of(1, 0);
    }

    @AfterEach
    void close() {
        all.close();
    }

    private long request(long number) {
        final UnsafeBuffer metadata = new UnsafeBuffer(new byte[8]);
        metadata.putLong(0, number);
        return from.messenger.send(request.to(to.context.endpoint(), REQUEST)
                .metadata(metadata, 0, 8)
                .payload(from.source, 0, 0));
    }

    /** Lets the handler reply by {@code length} bytes, with the number of the request as metadata. */
    private void replying(int length) {
        to.messenger.handler(REQUEST, message -> {
            final long sent = to.messenger.send(
                    to.numbered(message.origin(), message.metadataLong(0), length),
                    to.noting("local"),
                    to.noting("remote"));
            replies += sent >= 0 ? 1 : 0;
            return sent;
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 24, 25, REPLY_QUARTER - 8, REPLY_QUARTER - 7, 1_000, LONGEST})
    void shouldReplyWithAMessageOfAnyLength(int length) {
        final byte[] bytes = TestMessenger.bytes(5, length);
        to.source.buffer().putBytes(0, bytes);
        replying(length);
        request(7);
        all.settle();
        assertThat(from.called).containsExactly(7L);
        assertThat(from.received).hasSize(1);
        assertThat(from.received.get(0).origin()).isEqualTo(1);
        assertThat(from.received.get(0).isLong()).isEqualTo(8 + length > REPLY_QUARTER);
        assertThat(from.received.get(0).payload()).isEqualTo(HexFormat.of().formatHex(bytes));
        assertThat(to.ends).containsExactly("local", "remote");
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldReplyInEveryThreadingMode(Threading threading) {
        close();
        join(threading);
        final byte[] bytes = TestMessenger.bytes(5, LONGEST);
        to.source.buffer().putBytes(0, bytes);
        long number = 0;
        for (final int length : new int[] {0, 8, 24, REPLY_QUARTER - 8, REPLY_QUARTER - 7, 1_000, LONGEST}) {
            replying(length);
            request(number++);
            final long requests = number;
            all.settleUntil(() -> from.received.size() == requests && to.ends.size() == 2 * requests);
            final TestMessenger.Received reply = from.received.get((int) number - 1);
            assertThat(reply.isLong()).isEqualTo(8 + length > REPLY_QUARTER);
            assertThat(reply.payload()).isEqualTo(HexFormat.of().formatHex(bytes, 0, length));
        }
        assertThat(from.called).isEqualTo(LongStream.range(0, number).boxed().toList());
        assertThat(to.ends).containsOnly("local", "remote");
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 100, LONGEST})
    void shouldReplyWithoutCompletionsAndCountAtAnInjectionCounter(int length) {
        final InjectionCounter counter = all.job.node(1).client().injectionCounter();
        counter.expect(length + 1L);
        to.messenger.handler(
                REQUEST,
                message -> to.messenger.send(
                        to.numbered(message.origin(), 1, length).completes(counter)));
        request(1);
        all.settle();
        assertThat(from.received).hasSize(1);
        assertThat(counter.valueAcquire()).isEqualTo(1);
    }

    @Test
    void shouldReplyWhereALongRequestIsAnnouncedAndLandItToo() {
        final List<String> landed = new ArrayList<>();
        to.messenger.handler(REQUEST, message -> {
            final long sent = to.messenger.send(to.numbered(message.origin(), 3, LONGEST));
            return sent < 0
                    ? sent
                    : message.into(to.source, 0, failure -> landed.add(failure == null ? "well" : "badly"));
        });
        from.messenger.send(request.to(to.context.endpoint(), REQUEST).payload(from.source, 0, LONGEST));
        all.settle();
        assertThat(landed).containsExactly("well");
        assertThat(from.called).containsExactly(3L);
        assertThat(from.received).hasSize(1);
    }

    @Test
    void shouldRefuseAReplyToAnyOtherContext() {
        final List<String> refused = new ArrayList<>();
        to.messenger.handler(REQUEST, message -> {
            final long[] others = {
                all.of(0, 0).context.endpoint(), all.of(1, 1).context.endpoint()
            };
            for (final long other : others) {
                assertThatThrownBy(() -> to.messenger.send(to.numbered(other, 1, 8)))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("to the origin of its message alone")
                        .hasMessageContaining(Endpoint.toString(from.context.endpoint()));
                refused.add("refused");
            }
            // By rank and context, too.
            return to.messenger.send(to.message.to(0, 1, TestMessenger.DISPATCH).payload(to.source, 0, 8));
        });
        request(1);
        all.settle();
        assertThat(refused).hasSize(2);
        assertThat(from.received).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, LONGEST})
    void shouldRefuseToSendInAHandlerOfAReply(int length) {
        final List<String> refused = new ArrayList<>();
        from.messenger.handler(TestMessenger.DISPATCH, message -> {
            assertThatThrownBy(() -> from.messenger.send(from.numbered(message.origin(), 1, length)))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("a handler of a reply cannot send");
            refused.add("refused");
            return 0;
        });
        replying(length);
        request(1);
        all.settle();
        assertThat(refused).hasSize(1);
    }

    @ParameterizedTest(name = "replies of {0} bytes, at most {1} of them before there is no room")
    @CsvSource({"4000, 16", "8, 96"})
    void shouldReceiveRequestsAgainWhoseRepliesFindNoRoom(int length, int most) {
        replying(length);
        final int count = 120;
        long requests = 0;
        for (int pass = 0; pass < 200; pass++) {
            while (requests < count && request(requests) >= 0) {
                requests++;
            }
            // The requester receives nothing: only its engine runs.
            from.context.advance(0);
            to.context.advance();
        }
        assertThat(from.called).isEmpty();
        assertThat(replies).isPositive().isLessThanOrEqualTo(most);
        while (requests < count) {
            requests += request(requests) >= 0 ? 1 : 0;
            all.settle();
        }
        all.settle();
        assertThat(from.called).isEqualTo(LongStream.range(0, count).boxed().toList());
        assertThat(to.ends).hasSize(2 * count).containsOnly("local", "remote");
    }

    @Test
    void shouldReplyWhileAllRoomOfOtherMessagesIsTaken() {
        // The requester accepts no message of the application, which takes all its slots.
        from.messenger.handler(REQUEST + 1, message -> Status.AGAIN);
        int sent = 0;
        while (to.messenger.send(
                        new Message().to(from.context.endpoint(), REQUEST + 1).payload(to.source, 0, LONGEST))
                >= 0) {
            to.context.advance();
            sent++;
        }
        assertThat(sent).isEqualTo(RendezvousSends.SLOTS);
        replying(LONGEST);
        request(7);
        for (int pass = 0; pass < 50; pass++) {
            from.context.advance();
            to.context.advance();
        }
        assertThat(from.called).containsExactly(7L);
        assertThat(to.ends).containsExactly("local", "remote");
    }

    @Test
    void shouldRefuseAReplyTooLongForItsLaneWithoutRendezvous() {
        final List<String> refused = new ArrayList<>();
        to.messenger.handler(REQUEST, message -> {
            assertThat(to.context.longestFor(to.numbered(message.origin(), 1, 8)))
                    .isEqualTo(REPLY_QUARTER - 8);
            assertThatThrownBy(() -> to.messenger.send(
                            to.numbered(message.origin(), 1, 241).hint(Hint.NO_RENDEZVOUS)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("holds 240 bytes")
                    .hasMessageContaining("or send the reply in parts");
            refused.add("refused");
            return to.messenger.send(to.numbered(message.origin(), 1, 1).hint(Hint.NO_COPY));
        });
        request(1);
        all.settle();
        assertThat(refused).hasSize(1);
        assertThat(from.announced()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 100, LONGEST})
    void shouldNotRecordAReply(int length) {
        replying(length);
        request(1);
        from.context.advance();
        to.context.recordBegin(1, Rounds.ORDERED_BY_CALLER);
        to.context.sendImmediate(1, REQUEST + 5, new UnsafeBuffer(new byte[8]), 0, 8);
        to.context.advance();
        final Pattern pattern = to.context.recordEnd();
        all.settle();
        assertThat(from.received).hasSize(1);
        to.context.replay(pattern);
        all.settle();
        assertThat(from.received).hasSize(1);
        assertThat(to.ends).containsExactly("local", "remote");
    }
}
