package org.segno.demo.spikes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.demo.comparison.ExchangeRounds;
import org.segno.demo.comparison.Verification;
import org.segno.demo.comparison.VirtualRanks;
import org.segno.demo.halo.RetryingCalls;
import org.segno.demo.halo.ThreadedJob;
import org.segno.geometry.Endpoint;
import org.segno.memory.Window;
import org.segno.node.Node;
import org.segno.operation.Message;

class SpikeExchangeTest {
    private static final int DISPATCH = 1;

    @TempDir
    Path directory = Path.of("");

    private static Cells cells(int size) {
        return new Cells(new VirtualRanks(12, size), 30, 7, 5, 1);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void shouldReceiveEverySpikeInEachMode(int size) throws Exception {
        final CellWorkload first = new CellWorkload(cells(size), 0);
        final List<Long> checked =
                ThreadedJob.run(directory, size, first.nodeConfig().withWindowBytes(first.windowBytes()), node -> {
                    final Verification verification =
                            ExchangeRounds.run(new SpikeExchange(node, cells(size), node.rank()), 30);
                    assertThat(ExchangeRounds.firstError(verification)).isEmpty();
                    return ExchangeRounds.checked(verification);
                });

        assertThat(checked).containsOnly(3L * 30 * 3);
    }

    @Test
    void shouldFindASpikeThatNoCellHasSent() throws Exception {
        final CellWorkload workload = new CellWorkload(cells(1), 0);

        ThreadedJob.run(
                directory,
                1,
                workload.nodeConfig().withWindowBytes(workload.windowBytes() + 256),
                SpikeExchangeTest::sendAnotherSpike);
    }

    private static Verification sendAnotherSpike(Node node) {
        final Context context = node.client().context();
        final SpikeExchange exchange = new SpikeExchange(node, cells(1), 0);
        final Verification verification = ExchangeRounds.run(exchange, 1);
        assertThat(ExchangeRounds.wrong(verification)).isZero();
        final Window spike = node.client().window(ReceivedSpikes.SPIKE_BYTES);
        spike.buffer().putLong(0, 1);
        final Message message = new Message()
                .to(Endpoint.of(0, 0, 0, 0), DISPATCH)
                .payload(spike, 0, 0)
                .metadata(spike, 0, ReceivedSpikes.SPIKE_BYTES);
        assertThat(context.send(message)).isNotNegative();

        context.await(
                () -> {
                    exchange.check(verification);
                    return ExchangeRounds.wrong(verification) != 0;
                },
                RetryingCalls.deadlineNs());

        assertThat(ExchangeRounds.wrong(verification)).isEqualTo(2);
        assertThat(ExchangeRounds.firstError(verification)).startsWith("count of spikes in step ");
        return verification;
    }
}
