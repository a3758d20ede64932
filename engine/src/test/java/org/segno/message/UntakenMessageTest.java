package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Context;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.dma.Reach;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.Metric;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.status.PeerFailedException;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * Long messages that are not received: each completes once at its sender, rank 0, for every kind of failure at rank 1.
 * Rank 2 has no messenger.
 */
@ParameterizedClass
@EnumSource(Reach.class)
@Timeout(60)
class UntakenMessageTest {
    private static final int DISPATCH = 3;
    private static final int LENGTH = 5_000;
    private static final String ALONE = "one rank fetches alone only from mapped memory";
    private static final NodeDimensions DIMENSIONS =
            NodeSize.small().ranks(3).fifos(4).counters(32).dimensions();

    @Parameter
    Reach reach = Reach.MAPPED;

    @TempDir
    Path directory;

    private EngineFixture engines;
    private Messenger from;
    private Messenger to;
    private Window source;
    private Window landing;
    private final Message message = new Message();

    /** Results of the completions at rank 0, and those at rank 1. */
    private final List<@Nullable SegnoException> sent = new ArrayList<>();

    private final List<@Nullable SegnoException> landed = new ArrayList<>();

    /** Exceptions that {@code advance} has thrown. */
    private final List<Throwable> thrown = new ArrayList<>();

    private void open(EngineFixture opened) {
        engines = opened;
        from = Messenger.open(engines.client(0), engines.context(0));
        to = Messenger.open(engines.client(1), engines.context(1));
        source = engines.client(0).window(LENGTH);
        landing = engines.client(1).window(LENGTH);
        source.buffer().setMemory(0, LENGTH, (byte) 7);
    }

    @BeforeEach
    void open() {
        open(EngineFixture.open(directory, DIMENSIONS, reach, EngineFixture.SMALL_LINK));
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private void taking(Consumer<ReceivedMessage> handler) {
        to.handler(DISPATCH, received -> {
            assertThat(received.isLong()).isTrue();
            handler.accept(received);
            return 0;
        });
    }

    private long send(int rank) {
        return from.send(message.to(rank, DISPATCH).payload(source, 0, LENGTH), null, sent::add);
    }

    /**
     * Runs enough passes for all pending work, but a bounded number: a message that never completes must not hang here.
     */
    private void passes(int count) {
        for (int pass = 0; pass < count; pass++) {
            for (int rank = 0; rank < 3; rank++) {
                final Context context = engines.context(rank);
                try {
                    context.advance();
                } catch (final RuntimeException e) {
                    thrown.add(e);
                }
            }
        }
    }

    private void requireWorking() {
        thrown.clear();
        sent.clear();
        landed.clear();
        final Window place = engines.client(1).window(LENGTH);
        taking(received -> received.into(place, 0, landed::add));
        send(1);
        passes(20);
        assertThat(thrown).isEmpty();
        assertThat(sent).hasSize(1).containsOnlyNulls();
        assertThat(landed).hasSize(1).containsOnlyNulls();
        assertThat(place.buffer().getByte(LENGTH - 1)).isEqualTo((byte) 7);
    }

    @Test
    void shouldNotifyTheSenderOfEachWhenTheHandlerThrows() {
        taking(received -> {
            received.into(landing, 0, landed::add);
            throw new IllegalStateException("mine");
        });
        // More messages than may be pending at either end.
        for (int number = 1; number <= 2 * RendezvousSends.SLOTS; number++) {
            assertThat(send(1)).isNotNegative();
            passes(10);
            assertThat(thrown).hasSize(number);
            assertThat(sent).hasSize(number);
        }
        assertThat(thrown).allSatisfy(one -> assertThat(one).hasMessage("mine"));
        assertThat(sent)
                .allSatisfy(one -> assertThat(one)
                        .isInstanceOf(RefusedException.class)
                        .hasMessageContaining("rank 1")
                        .hasMessageContaining("or failed"));
        assertThat(landed).isEmpty();
        requireWorking();
    }

    @Test
    void shouldNotifyTheSenderWhenTheHandlerNamesAPlaceThatIsTooSmall() {
        taking(received -> received.into(landing, 1, landed::add));
        send(1);
        passes(10);
        assertThat(thrown)
                .singleElement()
                .asString()
                .contains("landing range [1, 1 + " + LENGTH + ") lies outside window");
        assertThat(sent).singleElement().isInstanceOf(RefusedException.class);
        requireWorking();
    }

    @Test
    void shouldRefuseAPlaceOfAnotherNodeWhereItIsNamed() {
        taking(received -> {
            assertThatThrownBy(() -> received.into(source, 0, landed::add))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("rank 0")
                    .hasMessageContaining("rank 1");
            received.into(landing, 0, landed::add);
        });
        send(1);
        passes(20);
        assertThat(sent).hasSize(1).containsOnlyNulls();
        assertThat(landed).hasSize(1).containsOnlyNulls();
        assertThat(thrown).isEmpty();
    }

    @Test
    void shouldNotifyBothEndsWhenTheLandingPlaceIsClosedBeforeItIsReached() {
        taking(received -> {
            received.into(landing, 0, landed::add);
            engines.client(1).close(landing);
        });
        send(1);
        passes(20);
        assertThat(sent).singleElement().isInstanceOf(RefusedException.class);
        assertThat(landed).singleElement().isInstanceOf(RefusedException.class);
        assertThat(landed.get(0)).hasMessageContaining("is closed").hasMessageContaining("keep a landing window open");
        assertThat(thrown).isEmpty();
        requireWorking();
    }

    @Test
    void shouldNotifyTheReplierOfEachLongReplyWhenTheRequesterHasNoMessenger() {
        refuseRepliesWithoutAMessenger();
    }

    @Test
    void shouldNotifyTheReplierOverALinkTooWhenTheRequesterHasNoMessenger() throws IOException {
        engines.close();
        open(EngineFixture.linked(Files.createDirectory(directory.resolve("linked")), DIMENSIONS, 16_384));
        refuseRepliesWithoutAMessenger();
    }

    private void refuseRepliesWithoutAMessenger() {
        replyingTo(2);
        final UnsafeBuffer request = new UnsafeBuffer(new byte[8]);
        int requests = 0;
        while (requests < 2 * RendezvousSends.REPLY_SLOTS) {
            while (requests < 2 * RendezvousSends.REPLY_SLOTS
                    && engines.context(2).sendImmediate(1, DISPATCH, request, 0, 8) >= 0) {
                requests++;
            }
            passes(10);
        }
        passes(100);
        assertThat(thrown).isEmpty();
        assertThat(landed)
                .hasSize(requests)
                .allSatisfy(one -> assertThat(one)
                        .isInstanceOf(RefusedException.class)
                        .hasMessageContaining("rank 2")
                        .hasMessageContaining("has no messenger"));
        requireWorking();
    }

    /** Lets rank 1 reply to each request of {@code rank} by a long message, whose result is noted as landed. */
    private void replyingTo(int rank) {
        final Message reply = new Message();
        to.handler(
                DISPATCH, received -> to.send(reply.to(rank, DISPATCH).payload(landing, 0, LENGTH), null, landed::add));
    }

    @Test
    void shouldFailEveryLongReplyToARankThatHasDied() {
        replyingTo(0);
        final int count = RendezvousSends.REPLY_SLOTS + 4;
        for (int number = 0; number < count; number++) {
            assertThat(from.send(message.to(1, DISPATCH).payload(source, 0, 8))).isNotNegative();
            // Over a link the second pass of the receiver has no work, and acknowledges what has landed.
            for (final int rank : new int[] {0, 1, 1, 0}) {
                engines.pass(rank);
            }
        }
        for (int pass = 0; pass < 10; pass++) {
            engines.context(1).advance();
        }
        assertThat(landed).isEmpty();
        engines.states(1).change(0, PeerStates.DEAD);
        for (int pass = 0; pass < 10; pass++) {
            engines.context(1).advance();
        }
        assertThat(landed).hasSize(count).allSatisfy(one -> assertThat(one).isInstanceOf(PeerFailedException.class));
    }

    @Test
    void shouldNotifyTheSenderOfEachWhenTheTargetHasNoMessenger() {
        refuseWithoutAMessenger();
    }

    @Test
    void shouldNotifyTheSenderOfEachOverALinkTooWhenTheTargetHasNoMessenger() throws IOException {
        engines.close();
        open(EngineFixture.linked(Files.createDirectory(directory.resolve("linked")), DIMENSIONS, 16_384));
        refuseWithoutAMessenger();
    }

    private void refuseWithoutAMessenger() {
        int taken = 0;
        while (taken < 2 * RendezvousSends.SLOTS) {
            // Many messages at once fill the FIFO for replies.
            while (taken < 2 * RendezvousSends.SLOTS && send(2) >= 0) {
                taken++;
            }
            passes(10);
        }
        passes(100);
        assertThat(thrown).isEmpty();
        assertThat(sent)
                .hasSize(taken)
                .allSatisfy(one -> assertThat(one)
                        .isInstanceOf(RefusedException.class)
                        .hasMessageContaining("rank 2")
                        .hasMessageContaining("has no messenger"));
        assertThat(engines.metrics(2).get(Metric.UNKNOWN_DISPATCH)).isEqualTo(taken);
        requireWorking();
    }

    @Test
    void shouldFindNothingToDoWhileTheOtherEndDoesNothingAndCountCompletedWork() {
        assumeTrue(reach.isMapped(0, 1), ALONE);
        taking(received -> received.into(landing, 0, landed::add));
        send(1);
        settleAlone(0);
        settleAlone(1);
        // Its receiver has fetched it and notified the sender; the sender's next advance runs the completion.
        assertThat(landed).hasSize(1);
        assertThat(sent).isEmpty();
        assertThat(engines.context(0).advance()).isEqualTo(1);
        assertThat(sent).hasSize(1);
        assertThat(engines.context(0).advance()).isZero();
    }

    @Test
    void shouldFindNothingToDoWhileTheHandlerHasNoPlace() {
        assumeTrue(reach.isMapped(0, 1), ALONE);
        final boolean[] hasPlace = {false};
        to.handler(DISPATCH, received -> {
            received.into(landing, 0, landed::add);
            return hasPlace[0] ? 0 : Status.AGAIN;
        });
        send(1);
        settleAlone(0);
        settleAlone(1);
        hasPlace[0] = true;
        settleAlone(1);
        assertThat(landed).hasSize(1).containsOnlyNulls();
        settleAlone(0);
        assertThat(sent).hasSize(1).containsOnlyNulls();
    }

    @Test
    void shouldEndTheDeferredMessagesOfADeadSenderAndFreeTheirRoom() {
        final int limit = 64;
        final List<Long> tokens = new ArrayList<>();
        to.handler(DISPATCH, received -> {
            final long token = received.defer();
            if (token > 0) {
                tokens.add(token);
            }
            return token;
        });
        while (tokens.size() < limit) {
            send(1);
            passes(2);
        }
        // Rank 1 sends one to itself, for which there is no room.
        to.send(message.to(1, DISPATCH).payload(landing, 0, LENGTH));
        passes(10);
        assertThat(tokens).hasSize(limit);
        engines.states(1).change(0, PeerStates.DEAD);
        passes(2);
        assertThat(tokens).hasSize(limit + 1);

        assertThat(to.accept(tokens.get(0), landing, 0, landed::add)).isZero();
        to.decline(tokens.get(1));
        assertThat(landed).isEmpty();
        passes(2);
        assertThat(landed).singleElement().isInstanceOf(PeerFailedException.class);
        assertThat(landed.get(0)).hasMessageContaining("rank 0 has died");
        // The message of the living rank lands.
        final Window place = engines.client(1).window(LENGTH);
        assertThat(to.accept(tokens.get(limit), place, 0, landed::add)).isZero();
        passes(10);
        assertThat(landed).hasSize(2).endsWith((SegnoException) null);
        assertThat(thrown).isEmpty();
    }

    @Test
    void shouldFailAnAcceptedMessageWhoseSenderDiesBeforeItIsFetched() {
        final List<Long> tokens = new ArrayList<>();
        to.handler(DISPATCH, received -> {
            tokens.add(received.defer());
            return tokens.get(0);
        });
        send(1);
        passes(5);
        assertThat(to.accept(tokens.get(0), landing, 0, landed::add)).isZero();
        engines.states(1).change(0, PeerStates.DEAD);
        passes(5);
        assertThat(landed).singleElement().isInstanceOf(PeerFailedException.class);
    }

    /** Advances as a loop does that ends when there is nothing to do. */
    private void settleAlone(int rank) {
        for (int idle = 0; idle < 100; idle++) {
            idle = engines.context(rank).advance() == 0 ? idle : 0;
        }
    }

    @Test
    void shouldNotifyTheSenderOfEachMessageToADeadRankAlsoLongAfterItsDeath() {
        assertThat(send(1)).isNotNegative();
        engines.states(0).change(1, PeerStates.DEAD);
        engines.context(0).advance();
        assertThat(sent).hasSize(1);
        for (int number = 2; number <= 2 * RendezvousSends.SLOTS; number++) {
            assertThat(send(1)).isNotNegative();
            assertThat(sent).hasSize(number - 1);
            engines.context(0).advance();
            assertThat(sent).hasSize(number);
        }
        assertThat(sent).allSatisfy(one -> assertThat(one).isInstanceOf(PeerFailedException.class));
    }
}
