package org.segno.engine.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.engine.memory.NodeHeader.Identity;
import org.segno.engine.memory.NodeLayout.Part;

/** Lanes of a node that only some ranks of its job map. */
class LaneOriginsTest {
    private static final int SIZE = 100;
    private static final int ENGINES = 3;
    private static final int[] ORIGINS = {2, 3, 40, 41, 97};

    @TempDir
    Path directory;

    private NodeFile create(int rank, int... origins) {
        final NodeDimensions dimensions = NodeSize.small()
                .ranks(SIZE)
                .mapped(ORIGINS.length)
                .engines(ENGINES)
                .dimensions();
        return NodeFile.create(
                directory.resolve("node"), NodeLayout.of(dimensions), new Identity(1, 2, rank, 3, 4), origins);
    }

    @Test
    void shouldGiveEachEngineOfEachOriginALaneOfItsOwn() {
        try (NodeFile file = create(40, ORIGINS)) {
            final NodeMemory node = file.mapAsPeer();
            assertThat(node.layout().dimensions().lanes()).isEqualTo(ORIGINS.length * ENGINES);
            int lane = 0;
            for (final int origin : ORIGINS) {
                for (int engine = 0; engine < ENGINES; engine++) {
                    assertThat(node.lane(origin, engine)).isEqualTo(lane);
                    assertThat(node.originOf(lane)).isEqualTo(origin);
                    assertThat(node.engineOf(lane)).isEqualTo(engine);
                    lane++;
                }
            }
        }
    }

    @Test
    void shouldHaveNoLaneOfOtherRanks() {
        try (NodeFile file = create(40, ORIGINS)) {
            final NodeMemory node = file.mapAsPeer();
            for (final int other : new int[] {0, 1, 4, 39, 42, 96, 98, 99}) {
                assertThat(node.lane(other, 0)).as("rank %d", other).isNegative();
            }
        }
    }

    @Test
    void shouldRefuseRanksThatAreNotAscendingDifferentOrOfTheJob() {
        for (final int[] wrong : new int[][] {
            {2, 3, 40, 41}, {3, 2, 40, 41, 97}, {2, 2, 40, 41, 97}, {-1, 3, 40, 41, 97}, {2, 3, 40, 41, SIZE}
        }) {
            assertThatThrownBy(() -> create(40, wrong))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("must be 5 different ranks of the job, ascending, with the node's own, 40");
        }
        assertThatThrownBy(() -> create(4, ORIGINS)).hasMessageContaining("with the node's own, 4: [2, 3, 40, 41, 97]");
    }

    /** Measures what a node file takes for each rank of its job, if one maps it. */
    @ParameterizedTest
    @CsvSource({"8, 128", "4096, 67712", "32768, 63616"})
    void shouldTakeAFewBytesForARankThatDoesNotMapIt(int ranks, int most) {
        final NodeLayout one = NodeLayout.of(size(1).dimensions());
        final NodeLayout layout = NodeLayout.of(size(ranks).mapped(1).dimensions());

        assertThat(layout.fileLength() - one.fileLength()).isLessThanOrEqualTo(most + NodeLayout.PAGE);
        assertThat(layout.length(Part.PEER_STATES)).isEqualTo(NodeLayout.PEER_STATES_HEADER_LENGTH + ranks);
    }

    private static NodeSize size(int ranks) {
        return NodeSize.small().ranks(ranks).counters(256);
    }
}
