package org.segno.demo.matrix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Partition of rows and plan of messages, which must be consistent for any matrix. */
class HaloPlanTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16})
    void shouldAssignEachRowToOneRank(long seed) {
        final Random random = new Random(seed);
        final MatrixSource source = new RandomMatrix(1 + random.nextInt(120), random.nextInt(9), seed);
        final int rankCount = 1 + random.nextInt(Math.min(9, source.rowCount()));
        final RowPartition partition = RowPartition.byNonzeros(source, rankCount);

        assertEquals(0, partition.first(0));
        assertEquals(source.rowCount(), partition.end(rankCount - 1));
        for (int rank = 0; rank < rankCount; rank++) {
            assertThat(partition.end(rank)).as("seed %d", seed).isGreaterThan(partition.first(rank));
            for (int row = partition.first(rank); row < partition.end(rank); row++) {
                assertEquals(rank, partition.owner(row), "seed " + seed);
            }
        }
    }

    @Test
    void shouldBalanceEntriesInsteadOfRows() {
        final MatrixSource source = new RandomMatrix(400, 20, 42);
        final RowPartition partition = RowPartition.byNonzeros(source, 4);

        for (int rank = 0; rank < 4; rank++) {
            long nonzeroCount = 0;
            for (int row = partition.first(rank); row < partition.end(rank); row++) {
                nonzeroCount += source.rowLength(row);
            }
            assertThat(nonzeroCount / (source.nonzeroCount() / 4.0)).isBetween(0.9, 1.1);
        }
    }

    @Test
    void shouldAssignOneRowToEachOfAsManyRanks() {
        final RowPartition partition = RowPartition.byNonzeros(new PoissonGrid(2), 8);

        for (int rank = 0; rank < 8; rank++) {
            assertEquals(rank, partition.first(rank));
        }
        assertThatThrownBy(() -> RowPartition.byNonzeros(new PoissonGrid(2), 9))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("at most 8 ranks")
                .hasMessageEndingWith("ranks=9");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void shouldSendTheValuesThatTheNeighbourExpects(long seed) {
        final Random random = new Random(seed);
        final MatrixSource source = new RandomMatrix(10 + random.nextInt(120), random.nextInt(9), seed);
        final RowPartition partition = RowPartition.byNonzeros(source, 1 + random.nextInt(9));
        final HaloPlan[] plans = plans(source, partition);

        for (int rank = 0; rank < plans.length; rank++) {
            final HaloPlan plan = plans[rank];
            for (int i = 0; i < plan.neighbourCount(); i++) {
                final HaloPlan other = plans[plan.neighbour(i)];
                final int back = neighbourIndex(other, rank);
                assertThat(back).as("seed %d: neighbours are mutual", seed).isNotNegative();
                assertEquals(
                        plan.sendStart(i + 1) - plan.sendStart(i), other.ghostStart(back + 1) - other.ghostStart(back));
                for (int sent = 0; sent < plan.sendStart(i + 1) - plan.sendStart(i); sent++) {
                    assertEquals(
                            other.ghostColumn(other.ghostStart(back) + sent),
                            partition.first(rank) + plan.sendRow(plan.sendStart(i) + sent),
                            "seed " + seed);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {21, 22, 23, 24})
    void shouldMultiplyOnSeveralRanksAsOnOne(long seed) {
        final Random random = new Random(seed);
        final MatrixSource source = new RandomMatrix(100, 6, seed);
        final RowPartition partition = RowPartition.byNonzeros(source, 5);
        final double[] vector = random.doubles(100).toArray();
        final double[] expected = new double[100];
        source.rows(0, 100).multiply(vector, expected);

        for (int rank = 0; rank < 5; rank++) {
            final HaloPlan plan = plans(source, partition)[rank];
            final double[] local = Arrays.copyOf(
                    Arrays.copyOfRange(vector, partition.first(rank), partition.end(rank)), plan.vectorLength());
            for (int ghost = 0; ghost < plan.ghostCount(); ghost++) {
                local[plan.matrix().rowCount() + ghost] = vector[plan.ghostColumn(ghost)];
            }
            final double[] product = new double[plan.matrix().rowCount()];
            plan.matrix().multiply(local, product);
            assertArrayEquals(
                    Arrays.copyOfRange(expected, partition.first(rank), partition.end(rank)), product, "seed " + seed);
        }
    }

    @Test
    void shouldHaveNoNeighboursOnOneRank() {
        final MatrixSource source = new PoissonGrid(3);
        final HaloPlan plan = plans(source, RowPartition.byNonzeros(source, 1))[0];

        assertEquals(0, plan.neighbourCount());
        assertEquals(0, plan.sendCount());
        assertEquals(27, plan.vectorLength());
    }

    private static HaloPlan[] plans(MatrixSource source, RowPartition partition) {
        final HaloPlan[] plans = new HaloPlan[partition.rankCount()];
        Arrays.setAll(
                plans, rank -> HaloPlan.of(source.rows(partition.first(rank), partition.end(rank)), partition, rank));
        return plans;
    }

    private static int neighbourIndex(HaloPlan plan, int rank) {
        for (int i = 0; i < plan.neighbourCount(); i++) {
            if (plan.neighbour(i) == rank) {
                return i;
            }
        }
        return -1;
    }
}
