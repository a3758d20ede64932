package org.segno.demo.halo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.context.Context;
import org.segno.demo.matrix.HaloPlan;
import org.segno.demo.matrix.RandomMatrix;
import org.segno.demo.matrix.RowPartition;
import org.segno.node.Node;

class HaloExchangeTest {
    private static final int ROUND_COUNT = 500;
    private static final int PLAIN_ROUND_COUNT = 10;

    @TempDir
    Path directory = Path.of("");

    @ParameterizedTest
    @CsvSource({"1, 3", "2, 4", "3, 5", "5, 6", "4, 0"})
    void shouldReceiveTheNeighboursValuesOfThisRound(int size, int extraPerRow) throws Exception {
        final RandomMatrix source = new RandomMatrix(60, extraPerRow, size);
        final RowPartition partition = RowPartition.byNonzeros(source, size);
        final HaloPlan[] plans = new HaloPlan[size];
        Arrays.setAll(
                plans, rank -> HaloPlan.of(source.rows(partition.first(rank), partition.end(rank)), partition, rank));
        final long windowBytes = Arrays.stream(plans)
                .mapToLong(plan -> HaloExchange.windowBytes(plan, size))
                .max()
                .orElseThrow();

        final List<Long> replayCounts = ThreadedJob.run(
                directory, size, windowBytes, node -> exchange(node, plans[node.rank()], partition.first(node.rank())));

        assertThat(replayCounts).hasSize(size).containsOnly(ROUND_COUNT - 1L);
    }

    /** Exchanges vectors with values that encode row and round, without any other synchronization of the ranks. */
    private static long exchange(Node node, HaloPlan plan, int firstRow) {
        final Context context = node.client().context();
        final HaloExchange halo = HaloExchange.open(node, context, plan, "halo", 1);
        final double[] vector = new double[plan.vectorLength()];
        for (int round = 0; round < ROUND_COUNT; round++) {
            fill(vector, plan, firstRow, round);
            halo.exchange(vector);
            check(vector, plan, round);
        }
        for (int round = 0; round < PLAIN_ROUND_COUNT; round++) {
            fill(vector, plan, firstRow, -round);
            halo.exchangePlainly(vector);
            check(vector, plan, -round);
        }
        return halo.replayCount();
    }

    private static void fill(double[] vector, HaloPlan plan, int firstRow, int round) {
        Arrays.fill(vector, Double.NaN);
        for (int row = 0; row < plan.matrix().rowCount(); row++) {
            vector[row] = 1_000.0 * round + firstRow + row;
        }
    }

    private static void check(double[] vector, HaloPlan plan, int round) {
        for (int ghost = 0; ghost < plan.ghostCount(); ghost++) {
            assertEquals(
                    1_000.0 * round + plan.ghostColumn(ghost),
                    vector[plan.matrix().rowCount() + ghost],
                    "round " + round + ", ghost " + ghost);
        }
    }
}
