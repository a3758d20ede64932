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
import org.segno.engine.memory.NodeSize;
import org.segno.link.Link;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;

/** Frames that a rank receives late, and what must not happen before. Links join three ranks. */
class LateFramesTest {
    private static final int RANKS = 3;
    private static final int ID = 7;
    private static final int LINK_BYTES = 1 << 17;

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
}
