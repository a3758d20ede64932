package org.segno.demo.neighbours;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class NeighbourhoodTest {
    @Test
    void shouldHaveEightNeighboursInFourDimensionsAndTwentySixInThree() {
        assertThat(Neighbourhood.ofFaces(81, 4)).hasToString("8 neighbours in a torus of 3 x 3 x 3 x 3");
        assertThat(Neighbourhood.ofAll(64, 3)).hasToString("26 neighbours in a torus of 4 x 4 x 4");
        assertThat(Neighbourhood.ofFaces(7, 4)).hasToString("8 neighbours in a torus of 7 x 1 x 1 x 1");
    }

    @Test
    void shouldReachAllOthersInATorusOfExtentThree() {
        final Neighbourhood all = Neighbourhood.ofAll(27, 3);
        for (int rank = 0; rank < 27; rank++) {
            final int self = rank;
            assertThat(IntStream.range(0, 26).map(direction -> all.neighbour(self, direction)))
                    .hasSize(26)
                    .doesNotHaveDuplicates()
                    .doesNotContain(rank);
        }
    }

    @Test
    void shouldReturnByTheOppositeDirection() {
        for (final Neighbourhood each : new Neighbourhood[] {
            Neighbourhood.ofFaces(64, 4), Neighbourhood.ofAll(64, 3), Neighbourhood.ofAll(12, 3)
        }) {
            for (int rank = 0; rank < 12; rank++) {
                for (int direction = 0; direction < each.directions(); direction++) {
                    assertThat(each.neighbour(each.neighbour(rank, direction), each.opposite(direction)))
                            .isEqualTo(rank);
                }
            }
        }
    }
}
