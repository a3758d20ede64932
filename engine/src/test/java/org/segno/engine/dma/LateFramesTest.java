package org.segno.engine.dma;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.link.Link;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Refusal;

/** Frames that a rank receives late, and what must not happen before. Links join three ranks. */
class LateFramesTest {
    private static final int RANKS = 3;
    private static final int ID = 7;
    private static final int LINK_BYTES = 1 << 17;

    /** More frames than one pass receives. */
    private static final int FRAMES = 80;

    /** More attempts than a barrier needs. */
    private static final int ATTEMPTS = 20;

    @TempDir
    Path directory;

    private final UnsafeBuffer word = new UnsafeBuffer(new byte[Long.BYTES]);
    private final int[] barriers = new int[RANKS];
    private EngineFixture engines;
    private boolean isHeld;

    @BeforeEach
    void make() {
        final EngineFixture.Links links = EngineFixture.inMemory(LINK_BYTES);
        engines = EngineFixture.open(
                directory,
                NodeSize.small()
                        .ranks(RANKS)
                        .fifos(3)
                        .fifoSlots(64)
                        .windowBytes(1 << 12)
                        .dimensions(),
                Reach.LINKED,
                (low, high) -> {
                    final Link[] ends = links.join(low, high);
                    return low == 0 && high == 1 ? new Link[] {ends[0], holding(ends[1])} : ends;
                });
    }

    @AfterEach
    void close() {
        engines.close();
    }

    /** Returns an end of a link that receives nothing while it is held. */
    private Link holding(Link end) {
        return (Link) Proxy.newProxyInstance(
                Link.class.getClassLoader(),
                new Class<?>[] {Link.class},
                (proxy, method, arguments) ->
                        isHeld && method.getName().equals("poll") ? 0 : method.invoke(end, arguments));
    }

    /** Lets each rank try to pass its next barrier, but none that is {@code most} barriers ahead. */
    private void tryBarriers(int most) {
        for (int rank = 0; rank < RANKS; rank++) {
            try {
                if (barriers[rank] < most) {
                    engines.context(rank).barrier(Deadline.in(1, MILLISECONDS));
                    barriers[rank]++;
                }
            } catch (final DeadlineException e) {
                // The next attempt continues the barrier.
                assertThat(e).hasMessageContaining("waiting for");
            }
        }
    }

    /**
     * Holds up a message between two ranks. The third rank must not pass the barrier either: its count for the next one
     * would take the place of the missing count.
     */
    @Test
    void shouldPassNoBarrierBeforeAMessageThatWasSentBeforeIt() {
        final List<Long> received = new ArrayList<>();
        engines.context(1)
                .handler(
                        ID,
                        (origin, buffer, metadata, metadataLength, payload, length) ->
                                received.add(buffer.getLong(payload)));
        // The first message obtains a lane, and the first barrier finds all ranks.
        engines.context(0).sendImmediate(1, ID, word, 0, Long.BYTES);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            tryBarriers(1);
            engines.settle();
        }
        assertThat(barriers).containsExactly(1, 1, 1);
        assertThat(received).containsExactly(0L);

        isHeld = true;
        word.putLong(0, 1);
        engines.context(0).sendImmediate(1, ID, word, 0, Long.BYTES);
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            tryBarriers(3);
        }
        assertThat(received).containsExactly(0L);
        assertThat(barriers).as("passed barriers").containsExactly(1, 1, 1);

        isHeld = false;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            tryBarriers(3);
            engines.settle();
            if (barriers[1] > 1) {
                assertThat(received).containsExactly(0L, 1L);
            }
        }
        assertThat(barriers).containsExactly(3, 3, 3);
    }

    @Test
    void shouldRefuseAWaitForARankThatHasLeftOnlyAfterAllOfItsFrames() {
        final Context receiver = engines.context(0);
        final Window window = engines.client(0).window(64);
        final ReceptionCounter gate = engines.client(0).receptionCounter(window, 0, 8, 1);
        final Target to = new Target(0, gate.id(), gate.incarnation(), 8, false);
        final Context sender = engines.context(1);
        final InjectionFifo further = sender.injectionFifo();
        gate.expect(FRAMES);
        receiver.waitUntil(gate, 0);
        engines.settle();
        for (int i = 0; i < FRAMES; i++) {
            assertThat((i % 2 == 0 ? sender : further).count(to, -1)).isNotNegative();
            engines.pass(1);
        }
        engines.states(0).change(1, PeerStates.LEFT);
        engines.pass(0);
        assertThat(gate.valueAcquire()).as("counts that are still in the link").isPositive();
        engines.settle();
        assertThat(gate.valueAcquire()).isZero();
        assertThat(receiver.isDrained()).isTrue();
        assertThat(engines.metrics(0).get(Refusal.SENDERS_LEFT)).isZero();
    }
}
