package org.segno.demo.neighbours;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.demo.comparison.ExchangeRounds;
import org.segno.demo.comparison.MeasuredExchange;
import org.segno.demo.comparison.Verification;
import org.segno.demo.comparison.VirtualRanks;
import org.segno.demo.halo.ThreadedJob;
import org.segno.demo.manytomany.ExchangeMemory;
import org.segno.demo.manytomany.ManyToManyExchange.Windows;
import org.segno.node.Node;

class NeighbourExchangeTest {
    private static final int BYTES = 16;

    @TempDir
    Path directory = Path.of("");

    private static NeighbourWorkload workload(int size, int rank) {
        return new NeighbourWorkload(BYTES, new VirtualRanks(12, size), rank);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldReceiveEveryElementInEachMode(int size) throws Exception {
        final NeighbourWorkload first = workload(size, 0);
        final List<Long> checked =
                ThreadedJob.run(directory, size, first.nodeConfig().withWindowBytes(first.windowBytes()), node -> {
                    long values = 0;
                    for (final MeasuredExchange exchange :
                            workload(size, node.rank()).open(node)) {
                        final Verification verification = ExchangeRounds.run(exchange, 20);
                        assertThat(ExchangeRounds.firstError(verification)).isEmpty();
                        values += ExchangeRounds.checked(verification);
                    }
                    return values;
                });

        final long elements = 12L * (8 + 26) * BYTES / Long.BYTES;
        assertThat(checked.stream().mapToLong(Long::longValue).sum()).isEqualTo(3 * 20 * elements);
    }

    @Test
    void shouldFindACorruptElement() throws Exception {
        final NeighbourPlan plan = new NeighbourPlan(Neighbourhood.ofFaces(12, 4), new VirtualRanks(12, 1), 0, BYTES);
        final ExchangeMemory memory = new ExchangeMemory(1).with(plan.pieces());

        ThreadedJob.run(
                directory,
                1,
                memory.nodeConfig().withWindowBytes(memory.windowBytes()),
                node -> corrupt(node, memory, plan));
    }

    private static Verification corrupt(Node node, ExchangeMemory memory, NeighbourPlan plan) {
        final Windows windows = memory.windows(node.client());
        final NeighbourExchange exchange = new NeighbourExchange(node.client(), 0, plan, windows);
        final Verification verification = ExchangeRounds.run(exchange, 1);
        assertThat(ExchangeRounds.wrong(verification)).isZero();
        // The last round is in one of two locations. Both begin with a received element.
        for (final long offset : new long[] {0, plan.pieces().received().bytes()}) {
            final int index = (int) offset;
            windows.target().buffer().putLong(index, ~windows.target().buffer().getLong(index));
        }

        exchange.check(verification);

        assertThat(ExchangeRounds.wrong(verification)).isEqualTo(1);
        assertThat(ExchangeRounds.firstError(verification))
                .startsWith("element 0 is ")
                .contains(", expected ");
        return verification;
    }
}
