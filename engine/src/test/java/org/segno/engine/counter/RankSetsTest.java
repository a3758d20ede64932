package org.segno.engine.counter;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;

/** Sets of ranks in the memory of a node. */
class RankSetsTest {
    private static final int RANKS = 70;
    private static final int WORDS = 2;

    @TempDir
    Path directory;

    private NodeFile node() {
        return NodeFile.create(
                directory.resolve("node"),
                NodeLayout.of(NodeSize.small().ranks(RANKS).dimensions()),
                new NodeHeader.Identity(1, 2, 0, 3, 4));
    }

    @Test
    void shouldMatchItsTable() {
        try (NodeFile file = node()) {
            final NodeMemory node = file.mapAsOwner();
            final RankSets sets = new RankSets(node);
            sets.write(3, new long[] {1L << 5 | 1L << 63, 1});

            final AtomicBuffer raw = node.owner()
                    .buffer(node.layout().offset(Part.RANK_SETS) + 3L * WORDS * Long.BYTES, WORDS * Long.BYTES);
            assertThat(raw.getLong(0)).isEqualTo(1L << 5 | 1L << 63);
            assertThat(raw.getLong(Long.BYTES)).isEqualTo(1);
            final List<Integer> ranks = new ArrayList<>();
            new RankSets(file.mapAsPeer()).forEach(RankSets.sources(3), ranks::add);
            assertThat(ranks).containsExactly(5, 63, 64);
            assertThat(RankSets.index(RankSets.sources(3))).isEqualTo(3);
        }
    }

    @Test
    void shouldContainNothingForSourcesOrRanksThatAreInvalid() {
        try (NodeFile file = node()) {
            final NodeMemory node = file.mapAsOwner();
            final RankSets sets = new RankSets(node);
            for (int set = 0; set < sets.count(); set++) {
                sets.write(set, new long[] {-1, -1});
            }
            final int last = RankSets.sources(sets.count() - 1);
            assertThat(sets.contains(last, RANKS - 1)).isTrue();
            for (final int rank : new int[] {-1, RANKS, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
                assertThat(sets.contains(last, rank)).as("rank " + rank).isFalse();
            }
            for (final int sources : new int[] {
                last - 1, Integer.MIN_VALUE, Integer.MAX_VALUE, CounterSettings.ANYBODY, CounterSettings.NOBODY, 1
            }) {
                assertThat(sets.contains(sources, 1)).as("sources " + sources).isFalse();
            }
            assertThat(sets.admits(CounterSettings.ANYBODY, 1)).isTrue();
            assertThat(sets.admits(CounterSettings.NOBODY, 1)).isFalse();
            assertThat(sets.admits(1, 1)).isTrue();
            assertThat(sets.admits(2, 1)).isFalse();
            assertThat(sets.admits(last, 1)).isTrue();
        }
    }

    /** Compares the number of sets with the memory that they take: 64 KiB, or 4 sets in the largest jobs. */
    @ParameterizedTest
    @CsvSource({
        "1, 256, 256",
        "64, 256, 256",
        "2048, 256, 256",
        "2049, 256, 248",
        "8192, 256, 64",
        "16384, 256, 32",
        "16385, 256, 4",
        "32768, 256, 4",
        "65536, 256, 4",
        "65536, 3, 3",
        "4, 65536, 8192"
    })
    void shouldHaveASetPerCounterWhileTheyAreSmall(int ranks, int counters, int sets) {
        final NodeDimensions dimensions = new NodeDimensions(
                ranks, ranks, 1, 1, 1, 2, 1, 1, 2, 1, counters, 1, 1, NodeDimensions.MIN_LANE_BYTES, 0);
        assertThat(dimensions.rankSets()).isEqualTo(sets);
        assertThat(NodeLayout.of(dimensions).length(Part.RANK_SETS)).isLessThanOrEqualTo(64 * 1024);
    }
}
