package org.segno.demo.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VirtualRanksTest {
    @ParameterizedTest
    @CsvSource({"64, 2", "64, 3", "7, 7", "4096, 5", "1, 1"})
    void shouldAssignConsecutiveVirtualRanksToEachRank(int count, int size) {
        final VirtualRanks ranks = new VirtualRanks(count, size);
        int next = 0;
        for (int rank = 0; rank < size; rank++) {
            assertThat(ranks.first(rank)).isEqualTo(next);
            assertThat(ranks.count(rank)).isBetween(count / size, count / size + 1);
            for (int i = 0; i < ranks.count(rank); i++) {
                assertThat(ranks.rankOf(next++)).isEqualTo(rank);
            }
        }
        assertThat(next).isEqualTo(count);
    }
}
