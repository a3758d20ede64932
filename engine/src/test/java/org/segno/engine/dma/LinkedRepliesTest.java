package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;

/** Sends of handlers over links: a class of their own, which reaches its target whatever the requests wait for. */
class LinkedRepliesTest {
    private static final int REQUEST = 5;
    private static final int REPLY = 6;

    private static final int TURNS = 2000;
    private static final int SETTLING_TURNS = 100_000;

    @TempDir
    Path directory;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
    private final long[] requests = new long[2];
    private final long[] replies = new long[2];
    private EngineFixture engines;

    @BeforeEach
    void make() {
        engines = EngineFixture.linked(
                directory,
                NodeSize.small().fifos(2).fifoSlots(256).windowBytes(16 * 1024).dimensions(),
                EngineFixture.SMALL_LINK);
    }

    @AfterEach
    void close() {
        engines.close();
    }

    /** The requests fill every lane, so that replies that had to wait for them would never arrive. */
    @Test
    void shouldAnswerEveryRequestWhenBothFlood() {
        for (final int rank : new int[] {0, 1}) {
            final Context context = engines.context(rank);
            context.replyingHandler(
                    REQUEST,
                    (origin, buffer, metadata, metadataLength, payload, length) ->
                            context.sendImmediate(origin, REPLY, buffer, payload, length));
            context.handler(REPLY, (origin, buffer, metadata, metadataLength, payload, length) -> {
                assertThat(buffer.getLong(payload)).as("in order").isEqualTo(replies[rank]);
                replies[rank]++;
            });
        }

        for (int turn = 0; turn < TURNS; turn++) {
            flood(turn & 1);
            engines.context(turn & 1).advance();
        }
        for (int turn = 0; turn < SETTLING_TURNS && replies[0] + replies[1] < requests[0] + requests[1]; turn++) {
            engines.context(turn & 1).advance();
        }

        assertThat(requests[0]).isGreaterThan(TURNS);
        assertThat(replies).containsExactly(requests);
    }

    private void flood(int rank) {
        bytes.putLong(0, requests[rank]);
        while (engines.context(rank).sendImmediate(1 - rank, REQUEST, bytes, 0, bytes.capacity()) >= 0) {
            bytes.putLong(0, ++requests[rank]);
        }
    }

    @Test
    void shouldRefuseSendsOfTheHandlerOfAReply() {
        final Context origin = engines.context(0);
        final Context owner = engines.context(1);
        owner.replyingHandler(
                REQUEST,
                (from, buffer, metadata, metadataLength, payload, length) ->
                        owner.sendImmediate(from, REPLY, buffer, payload, length));
        origin.replyingHandler(
                REPLY,
                (from, buffer, metadata, metadataLength, payload, length) ->
                        origin.sendImmediate(from, REQUEST, buffer, payload, length));

        origin.sendImmediate(1, REQUEST, bytes, 0, 8);
        assertThatThrownBy(engines::settle)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("not while it handles a reply");
    }

    @Test
    void shouldCarryOutEveryOperationThatAHandlerInjects() {
        final Context owner = engines.context(1);
        final Window source = engines.client(1).window(64);
        final Window range = engines.client(0).window(64);
        final ReceptionCounter export =
                engines.client(0).receptionCounter(range, 0, 64, 1, Right.PUT, Right.GET, Right.ATOMIC);
        final Target to = new Target(0, export.id(), export.incarnation(), 64, false);
        final InjectionCounter done = engines.client(1).injectionCounter();
        export.expect(8 + 5);
        done.expect(16);
        range.buffer().putLong(32, 77);
        owner.replyingHandler(REQUEST, (from, buffer, metadata, metadataLength, payload, length) -> {
            source.buffer().putLong(0, buffer.getLong(payload));
            owner.put(to, 8, source, 0, 8, done);
            owner.count(to, -5);
            return owner.get(to, 32, source, 16, 8, done);
        });

        bytes.putLong(0, 1234);
        engines.context(0).sendImmediate(1, REQUEST, bytes, 0, 8);
        engines.settle();

        assertThat(range.buffer().getLong(8)).isEqualTo(1234);
        assertThat(source.buffer().getLong(16)).isEqualTo(77);
        assertThat(export.valueAcquire()).isZero();
        assertThat(done.valueAcquire()).isZero();
    }
}
