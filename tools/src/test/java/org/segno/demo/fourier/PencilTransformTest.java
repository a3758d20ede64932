package org.segno.demo.fourier;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.demo.comparison.ExchangeRounds;
import org.segno.demo.comparison.MeasuredExchange;
import org.segno.demo.comparison.Verification;
import org.segno.demo.comparison.VirtualRanks;
import org.segno.demo.halo.ThreadedJob;

class PencilTransformTest {
    private static final int GRID = 8;

    @TempDir
    Path directory = Path.of("");

    private static PencilWorkload workload(int size, int rank) {
        return new PencilWorkload(GRID, new VirtualRanks(16, size), rank);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldTransformForwardAndBackwardInEachMode(int size) throws Exception {
        final PencilWorkload first = workload(size, 0);
        final List<Long> checked =
                ThreadedJob.run(directory, size, first.nodeConfig().withWindowBytes(first.windowBytes()), node -> {
                    final MeasuredExchange exchange =
                            workload(size, node.rank()).open(node).get(0);
                    final Verification verification = ExchangeRounds.run(exchange, 10);
                    assertThat(ExchangeRounds.firstError(verification)).isEmpty();
                    return ExchangeRounds.checked(verification);
                });

        final long values = 2L * GRID * GRID * GRID;
        assertThat(checked.stream().mapToLong(Long::longValue).sum()).isEqualTo(3 * 10 * 2 * values);
    }
}
