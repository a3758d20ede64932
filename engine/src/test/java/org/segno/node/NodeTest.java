package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

@OverMemoryAndLinks
class NodeTest {
    @TempDir
    Path parent;

    /** Returns a configuration with the transport of the present run. */
    private static NodeConfig config() {
        return NodeConfig.defaults().withThreading(NodeConfig.Threading.INVOKER).withWindowBytes(1 << 20);
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldPutBytesAndCountThemDown() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config())) {
            final Window source = job.node(0).client().window(4096);
            final Window target = job.node(1).client().window(4096);
            final ReceptionCounter counter = job.node(1).client().receptionCounter(target, 0, 4096);
            job.node(1).client().publish("in", counter);
            final Target in = job.context(0).attach(1, "in", InProcessJob.deadline());
            source.buffer().putLong(8, 42);

            counter.expect(16);
            assertThat(job.context(0).put(in, 100, source, 8, 16)).isZero();
            assertThat(counter.valueAcquire()).isEqualTo(16);
            job.context(0).advance();

            assertThat(counter.valueAcquire()).isZero();
            assertThat(target.buffer().getLong(100)).isEqualTo(42);
        }
    }

    @Test
    void shouldMeetAmongTheContextsThatAllRanksHaveAndNameTheRankThatLacksOne() throws Exception {
        final NodeConfig two =
                SmallNodes.config(NodeConfig.Threading.DEDICATED, 4).withContexts(2);
        final NodeConfig one = SmallNodes.config(NodeConfig.Threading.INVOKER, 2);
        try (InProcessJob job = InProcessJob.join(parent, List.of(two, one))) {
            final Client client = job.node(1).client();
            // This counter has the number that a barrier of the second contexts would count at.
            final ReceptionCounter counter = client.receptionCounter(client.window(8), 0, 8);
            assertThat(counter.id()).isEqualTo(1);

            final AtomicBoolean isRefused = new AtomicBoolean();
            job.onThreads(rank -> {
                if (rank == 0) {
                    assertThatThrownBy(() -> job.node(0).client().context(1).barrier(InProcessJob.deadline()))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("context 1 of rank 0 has no counterpart at rank 1")
                            .hasMessageContaining("rank 1 has 1 contexts and rank 0 has 2")
                            .hasMessageContaining("withContexts");
                    isRefused.set(true);
                } else {
                    // Over links rank 0 waits for what this rank states, which its advance sends.
                    job.context(1).await(isRefused::get, InProcessJob.deadline());
                }
                job.context(rank).barrier(InProcessJob.deadline());
            });
            assertThat(counter.valueAcquire()).isZero();
        }
    }

    @Test
    void shouldNameARemedyThatHelpsWhenAMessageIsTooLong() {
        final NodeConfig smaller = config().withLaneBudgetBytes(64 << 10);
        final int most = (64 << 10) - 8;
        try (InProcessJob job = InProcessJob.join(parent, List.of(config(), smaller))) {
            // Lanes of the two ranks that map the memory share the budget. Over links there is one.
            final int lane = job.node(0).mappedRanks().length == 2 ? 32 << 10 : 64 << 10;
            final Message message = new Message();
            final Window payload = job.node(0).client().window(1 << 17);
            final Context context = job.context(0);
            assertThat(context.send(message.to(0, 1).payload(payload, 0, most))).isNotNegative();

            assertThatThrownBy(() -> context.send(message.to(1, 1).payload(payload, 0, most)))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("lane of " + lane + " bytes")
                    .hasMessageContaining("or raise NodeConfig.withLaneBudgetBytes at the target");
            for (int rank = 0; rank < 2; rank++) {
                message.to(rank, 1).payload(payload, 0, most + 1);
                assertThatThrownBy(() -> context.send(message))
                        .hasMessageContaining("put long payloads to a counter, or send them in parts: no lane is longer"
                                + " than 262144 bytes")
                        .hasMessageNotContaining("withLaneBudgetBytes");
            }
        }
    }

    @Test
    void shouldNameTheRangeOfRanksContextsAndWindows() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config())) {
            for (final int rank : new int[] {-1, 2, 9}) {
                assertThatThrownBy(() -> job.node(0).peerState(rank))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("rank must be 0 to 1: rank=" + rank);
            }
            assertThatThrownBy(() -> job.node(0).client().context(1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("context must be 0 to 0: context=1; raise withContexts");
            assertThatThrownBy(() -> job.node(0).client().context(-1))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("context must be 0 to 0: context=-1");
            for (final long bytes : new long[] {Long.MIN_VALUE, -1, 0}) {
                assertThatThrownBy(() -> job.node(0).client().window(bytes))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("a window must have at least 1 byte: bytes=" + bytes);
            }
        }
    }

    @Test
    void shouldPassMessagesToTheirHandlerInOrder() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config())) {
            final List<Long> got = new ArrayList<>();
            job.context(1).handler(7, (source, buffer, m, ml, p, pl) -> got.add(buffer.getLong(p)));
            final UnsafeBuffer payload = new UnsafeBuffer(new byte[8]);
            for (long i = 0; i < 100; i++) {
                payload.putLong(0, i);
                assertThat(job.context(0).sendImmediate(1, 7, payload, 0, 8)).isNotNegative();
            }
            job.advanceUntil(() -> got.size() >= 100);
            assertThat(got).hasSize(100).isSorted();
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldReplayARecordedPatternRoundByRound() {
        try (InProcessJob job = InProcessJob.join(parent, 2, config())) {
            final Window[] windows = new Window[2];
            final CounterPair[] pairs = new CounterPair[2];
            final Target[] targets = new Target[2];
            for (int rank = 0; rank < 2; rank++) {
                windows[rank] = job.node(rank).client().window(4096);
                pairs[rank] = job.node(rank).client().counterPair(windows[rank], 1024, 2048, 512);
                job.node(rank).client().publish("in", pairs[rank]);
            }
            final Pattern[] patterns = new Pattern[2];
            for (int rank = 0; rank < 2; rank++) {
                targets[rank] = job.context(rank).attach(1 - rank, "in", InProcessJob.deadline());
            }
            for (int rank = 0; rank < 2; rank++) {
                final int self = rank;
                final Context context = job.context(rank);
                windows[rank].buffer().putLong(0, 1000L * rank + 1);
                patterns[rank] = context.record(5, Rounds.ALTERNATE, () -> {
                    context.expect(pairs[self], 8);
                    context.put(targets[self], 16, windows[self], 0, 8);
                });
            }
            for (long round = 1; round <= 1000; round++) {
                for (int rank = 0; rank < 2; rank++) {
                    if (round > 1) {
                        windows[rank].buffer().putLong(0, 1000L * rank + round);
                        assertThat(job.context(rank).replay(patterns[rank])).isEqualTo(round);
                    }
                }
                job.settle();
                for (int rank = 0; rank < 2; rank++) {
                    job.context(rank).await(patterns[rank], round, InProcessJob.deadline());
                    final long at = pairs[rank].offset(round) + 16;
                    assertThat(windows[rank].buffer().getLong((int) at)).isEqualTo(1000L * (1 - rank) + round);
                }
            }
        }
    }
}
