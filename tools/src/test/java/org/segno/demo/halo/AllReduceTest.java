package org.segno.demo.halo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.node.Node;

class AllReduceTest {
    private static final int ROUND_COUNT = 2_000;
    private static final long SEED = 20_261_120;

    @TempDir
    Path directory = Path.of("");

    @ParameterizedTest
    @Tag("long")
    @ValueSource(ints = {1, 2, 3, 5})
    void shouldReturnTheSameSumOnEveryRank(int size) throws Exception {
        final List<List<Double>> sums =
                ThreadedJob.run(directory, size, AllReduce.windowBytes(size), AllReduceTest::sumRandomValues);

        final Random[] random = new Random[size];
        for (int rank = 0; rank < size; rank++) {
            random[rank] = new Random(SEED + rank);
        }
        final List<Double> expected = new ArrayList<>();
        for (int i = 0; i < 2 * ROUND_COUNT; i++) {
            double sum = 0;
            for (int rank = 0; rank < size; rank++) {
                sum += random[rank].nextGaussian();
            }
            expected.add(sum);
        }
        assertThat(sums).as("seed %d", SEED).hasSize(size).allMatch(expected::equals);
    }

    private static List<Double> sumRandomValues(Node node) {
        final AllReduce reduce = AllReduce.open(node, node.client().context());
        final Random random = new Random(SEED + node.rank());
        final List<Double> sums = new ArrayList<>();
        for (int round = 0; round < ROUND_COUNT; round++) {
            final double[] values = {random.nextGaussian(), random.nextGaussian()};
            reduce.sum(values);
            sums.add(values[0]);
            sums.add(values[1]);
        }
        return sums;
    }
}
