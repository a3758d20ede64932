package org.segno.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.Metric;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.status.PeerFailedException;
import org.segno.status.RefusedException;
import org.segno.status.SegnoException;

/**
 * Long messages that are not received: each completes once at its sender, rank 0, for every kind of failure at rank 1.
 * Rank 2 has no messenger.
 */
@Timeout(60)
class UntakenMessageTest {
    private static final int DISPATCH = 3;
    private static final int LENGTH = 5_000;
    private static final NodeDimensions DIMENSIONS =
            NodeSize.small().ranks(3).fifos(4).counters(32).dimensions();

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
        open(EngineFixture.open(directory, DIMENSIONS));
    }

    @AfterEach
    void close() {
        engines.close();
    }

    private void taking(BiConsumer<Long, LandingPlace> handler) {
        to.handler(DISPATCH, new MessageHandler() {
            @Override
            public boolean onLongMessage(long origin, DirectBuffer b, int m, int ml, long length, LandingPlace place) {
                handler.accept(length, place);
                return true;
            }

            @Override
            public void onMessage(long origin, DirectBuffer b, int m, int ml, int p, int pl) {
                throw new AssertionError("short");
            }
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
        taking((length, where) -> where.into(place, 0, landed::add));
        send(1);
        passes(20);
        assertThat(thrown).isEmpty();
        assertThat(sent).hasSize(1).containsOnlyNulls();
        assertThat(landed).hasSize(1).containsOnlyNulls();
        assertThat(place.buffer().getByte(LENGTH - 1)).isEqualTo((byte) 7);
    }

    @Test
    void shouldNotifyTheSenderOfEachWhenTheHandlerThrows() {
        taking((length, place) -> {
            place.into(landing, 0, landed::add);
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
        taking((length, place) -> place.into(landing, 1, landed::add));
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
        taking((length, place) -> {
            assertThatThrownBy(() -> place.into(source, 0, landed::add))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("rank 0")
                    .hasMessageContaining("rank 1");
            place.into(landing, 0, landed::add);
        });
        send(1);
        passes(10);
        assertThat(sent).hasSize(1).containsOnlyNulls();
        assertThat(landed).hasSize(1).containsOnlyNulls();
        assertThat(thrown).isEmpty();
    }

    @Test
    void shouldNotifyBothEndsWhenTheLandingPlaceIsClosedBeforeItIsReached() {
        taking((length, place) -> {
            place.into(landing, 0, landed::add);
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
    void shouldRefuseToSendWhereALongMessageIsAnnounced() {
        taking((length, place) -> {
            place.into(landing, 0, landed::add);
            assertThatThrownBy(() -> to.send(new Message().to(0, DISPATCH).payload(landing, 0, 8), null, landed::add))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("after advance has returned");
        });
        send(1);
        passes(10);
        assertThat(thrown).isEmpty();
        assertThat(sent).hasSize(1).containsOnlyNulls();
        assertThat(landed).hasSize(1).containsOnlyNulls();
    }

    @Test
    void shouldNotifyTheSenderOfEachWhenTheTargetHasNoMessenger() {
        refuseWithoutAMessenger();
    }

    @Test
    void shouldNotifyTheSenderOfEachOverALinkTooWhenTheTargetHasNoMessenger() throws IOException {
        engines.close();
        open(EngineFixture.linked(Files.createDirectory(directory.resolve("linked")), DIMENSIONS, 16));
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
        taking((length, place) -> place.into(landing, 0, landed::add));
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
        final boolean[] hasPlace = {false};
        to.handler(DISPATCH, new MessageHandler() {
            @Override
            public boolean onLongMessage(long origin, DirectBuffer b, int m, int ml, long length, LandingPlace place) {
                place.into(landing, 0, landed::add);
                return hasPlace[0];
            }

            @Override
            public void onMessage(long origin, DirectBuffer b, int m, int ml, int p, int pl) {
                throw new AssertionError("short");
            }
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
