package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.engine.dma.EngineFixture;
import org.segno.engine.memory.NodeSize;

/** Rounds kept apart by pairs of counters alone, while chance decides which rank runs, and for how long. */
class DriftingRoundsTest {
    private static final long ROUNDS = 3000;

    @TempDir
    Path directory;

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 2", "3, 3", "4, 4", "5, 5", "5, 6"})
    void shouldSumRightInEveryRoundHoweverRanksDrift(int ranks, long seed) {
        final Random chance = new Random(seed);
        try (EngineFixture engines = EngineFixture.open(
                directory,
                NodeSize.small().ranks(ranks).runSlots(2).fifoSlots(2).dimensions())) {
            final HaloRounds[] halos = new HaloRounds[ranks];
            for (int rank = 0; rank < ranks; rank++) {
                halos[rank] = new HaloRounds(engines.client(rank), rank, ranks);
            }
            for (int rank = 0; rank < ranks; rank++) {
                halos[rank].attach();
                halos[rank].record();
            }
            long widest = 0;
            while (slowest(halos) < ROUNDS) {
                final int rank = chance.nextInt(ranks);
                // One rank may run as long as it can while the others stop.
                for (int steps = chance.nextInt(20) == 0 ? 1000 : 1 + chance.nextInt(3); steps > 0; steps--) {
                    if (chance.nextBoolean()) {
                        engines.context(rank).advance();
                    }
                    if (halos[rank].isComplete()) {
                        halos[rank].check();
                        halos[rank].next();
                    }
                }
                widest = Math.max(widest, fastest(halos) - slowest(halos));
            }
            // Each rank waits for both neighbours. That bounds the drift, and this test checks the bound.
            assertThat(widest).isBetween(1L, ranks / 2L);
        }
    }

    private static long slowest(HaloRounds[] halos) {
        long least = Long.MAX_VALUE;
        for (final HaloRounds halo : halos) {
            least = Math.min(least, halo.round());
        }
        return least;
    }

    private static long fastest(HaloRounds[] halos) {
        long most = 0;
        for (final HaloRounds halo : halos) {
            most = Math.max(most, halo.round());
        }
        return most;
    }
}
