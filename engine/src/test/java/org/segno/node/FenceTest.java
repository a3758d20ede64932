package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.geometry.Endpoint;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.Status;

/** Fences: one-sided work is complete at its target after one, without a call of the target's application. */
@Timeout(120)
@OverMemoryAndLinks
class FenceTest {
    @TempDir
    Path parent;

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED"})
    @MappedOnly(value = MappedOnly.ONE_THREAD, threading = "INVOKER")
    void shouldFindEverythingInPlaceAfterAFence(String mode) {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.valueOf(mode), 2))) {
            final Context context = job.context(0);
            final Window source = job.node(0).client().window(1024);
            final Window there = job.node(1).client().window(4096);
            final ReceptionCounter counter = job.node(1).client().receptionCounter(there, 0, 4096);
            job.node(1).client().publish("in", counter);
            final Target in = context.attach(1, "in", InProcessJob.deadline());
            final InjectionFifo other = context.injectionFifo();
            final Pattern pattern =
                    context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.put(in, 2048, source, 0, 1024));
            final long endpoint = job.node(0).client().endpoint(1, 0, InProcessJob.deadline());
            for (int round = 1; round <= 50; round++) {
                source.buffer().setMemory(0, 1024, (byte) round);
                context.put(in, 0, source, 0, 1024);
                other.put(in, 1024, source, 0, 1024);
                while (context.replay(pattern) < 0) {
                    context.advance();
                }
                if (round % 2 == 0) {
                    context.fence(InProcessJob.deadline());
                } else {
                    context.fence(endpoint, InProcessJob.deadline());
                }

                assertThat(context.isDrained()).isTrue();
                for (int at = 0; at < 3 * 1024; at++) {
                    assertThat(there.buffer().getByte(at)).isEqualTo((byte) round);
                }
                assertThat(counter.valueAcquire()).isEqualTo(-1024L * (1 + 3 * round));
            }
            assertThat(Endpoint.task(endpoint)).isEqualTo(1);
        }
    }

    @Test
    void shouldReportWithoutWaitingIfWorkIsCarriedOut() {
        try (InProcessJob job = InProcessJob.join(parent, 1, SmallNodes.config(Threading.INVOKER, 1))) {
            final Context context = job.context(0);
            final Window window = job.node(0).client().window(64);

            final long first = context.copy(window, 0, window, 32, 8);
            assertThat(context.isCarriedOut(first)).isFalse();
            context.advance();
            final long second = context.copy(window, 0, window, 32, 8);

            assertThat(context.isCarriedOut(first)).isTrue();
            assertThat(context.isCarriedOut(second)).isFalse();
        }
    }

    @Test
    void shouldReportTheMissingWorkOfAFenceAtItsDeadline() {
        try (InProcessJob job = InProcessJob.join(parent, 1, SmallNodes.config(Threading.INVOKER, 1))) {
            final Context context = job.context(0);
            final Client client = job.node(0).client();
            final ReceptionCounter gate = client.receptionCounter(client.window(8), 0, 8);
            gate.expect(1);
            context.waitUntil(gate, 0);

            assertThatThrownBy(() -> context.fence(Deadline.in(5, TimeUnit.MILLISECONDS)))
                    .isInstanceOf(DeadlineException.class)
                    .hasMessageContaining("before a fence, of which 1 descriptors");
            assertThatThrownBy(() -> context.fence(Endpoint.of(1, 0, 0, 0), InProcessJob.deadline()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("rank=1");
            client.publish("gate", gate);
            // The engine holds the FIFO, so the gate is opened through another one.
            final Target open = context.attach(0, "gate", InProcessJob.deadline());
            context.injectionFifo().count(open, -1);
            context.fence(InProcessJob.deadline());
        }
    }

    /** Lets every rank add to one word of rank 0: each old value is returned once. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "MIXED"})
    void shouldLoseNoChangeWhenAllRanksChangeOneWord(String modes) throws Exception {
        final int size = 3;
        final int adds = 500;
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(size, SmallNodes.modes(modes)))) {
            final Client owner = job.node(0).client();
            final Window word = owner.window(8);
            owner.publish("word", owner.receptionCounter(word, 0, 8, ReceptionCounter.ANYBODY, Right.ATOMIC));
            final int[][] returned = new int[size][size * adds];
            job.onThreads(rank -> {
                final Context context = job.context(rank);
                final Window old = job.node(rank).client().window(8L * adds);
                final Target to = context.attach(0, "word", InProcessJob.deadline());
                final Rmw add = new Rmw().fetchAdd(1);
                for (int i = 0; i < adds; i++) {
                    while (context.rmw(to, 0, add.result(old, 8L * i)) == Status.BACK_PRESSURED) {
                        context.advance();
                    }
                }
                context.fence(InProcessJob.deadline());
                for (int i = 0; i < adds; i++) {
                    returned[rank][(int) old.buffer().getLong(8 * i)]++;
                }
                context.barrier(InProcessJob.deadline());
            });
            assertThat(word.buffer().getLong(0)).isEqualTo((long) size * adds);
            for (int value = 0; value < size * adds; value++) {
                int times = 0;
                for (int rank = 0; rank < size; rank++) {
                    times += returned[rank][value];
                }
                assertThat(times).as("old value %d", value).isEqualTo(1);
            }
        }
    }
}
