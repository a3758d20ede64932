package org.segno.engine.dma;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.memory.NodeSize;
import org.segno.link.FlushedLink;

/** Flushes of links: what a pass has sent leaves at its end, at once. */
class LinkFlushTest {
    private static final int ID = 5;
    private static final int RANKS = 3;

    @Test
    void shouldFlushEachLinkAtTheEndOfAPassAndAtMostOnceBefore(@TempDir Path directory) {
        try (EngineFixture engines = EngineFixture.linked(
                directory, NodeSize.small().ranks(RANKS).fifoSlots(64).dimensions(), EngineFixture.SMALL_LINK)) {
            final List<Integer> received = new ArrayList<>();
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);
            for (int rank = 0; rank < RANKS; rank++) {
                engines.context(rank).handler(ID, (origin, buffer, m, ml, p, length) -> received.add(length));
            }
            for (int pass = 0; pass < 300; pass++) {
                final int rank = pass % RANKS;
                for (int i = pass < 200 ? 5 : 0; i > 0; i--) {
                    engines.context(rank).sendImmediate((rank + 1 + i % 2) % RANKS, ID, bytes, 0, 8);
                }
                requireFlushes(engines, rank);
                engines.context(rank).advance();
            }
            engines.settle();
            assertThat(received).hasSizeGreaterThan(100);
        }
    }

    private static void requireFlushes(EngineFixture engines, int rank) {
        for (int peer = 0; peer < RANKS; peer++) {
            if (peer != rank) {
                final FlushedLink link = (FlushedLink) engines.link(rank, peer);
                final long flushes = link.flushes();
                engines.pass(rank);
                assertThat(link.flushes() - flushes).isBetween(1L, 2L);
                assertThat(link.unflushed()).isZero();
            }
        }
    }
}
