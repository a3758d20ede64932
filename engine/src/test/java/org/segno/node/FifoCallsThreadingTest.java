package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/** Two nodes in every threading mode: the threshold of free slots, and settings of the FIFOs of patterns. */
@Timeout(120)
@OverMemoryAndLinks
class FifoCallsThreadingTest {
    private static final int SIZE = 2;
    private static final int SLOTS = 16;

    @TempDir
    Path parent;

    /** Sends only when the event says that the whole FIFO is free, as a producer without a poll does. */
    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldContinueWhenSlotsAreFree(String modes) throws Exception {
        final int batches = 50;
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(SIZE, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final ReceptionCounter in = client.receptionCounter(client.window(8), 0, 8);
                client.publish("in", in);
                final Target to = context.attach(1 - rank, "in", InProcessJob.deadline());
                final InjectionFifo fifo = context.injectionFifo();
                final AtomicLong events = new AtomicLong();
                fifo.freeThreshold(SLOTS, events::incrementAndGet);
                context.await(fifo::isActive, InProcessJob.deadline());
                // The engine applies a setting some time after the call. It may serve the first descriptors without it.
                while (events.get() == 0) {
                    assertThat(fifo.count(to, 0)).isNotNegative();
                    context.await(fifo::isEmpty, InProcessJob.deadline());
                }
                fifo.clearFreeThreshold();
                in.expect((long) batches * SLOTS);
                for (int batch = 1; batch <= batches; batch++) {
                    final long before = events.get();
                    for (int i = 0; i < SLOTS; i++) {
                        assertThat(fifo.count(to, -1)).isNotNegative();
                    }
                    // The engine may see a batch in parts, and raise an event for each.
                    context.await(
                            () -> events.get() > before && fifo.isEmpty() && fifo.wasFreeThresholdCrossed(),
                            InProcessJob.deadline());
                    fifo.clearFreeThreshold();
                }
                context.await(in, InProcessJob.deadline());
                context.barrier(InProcessJob.deadline());
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldCompleteRoundsWithAnyPriorityAndQuantum(String modes) throws Exception {
        final int parts = 10;
        final int rounds = 40;
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(SIZE, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final Window window = client.window(4096);
                final ReceptionCounter in = client.receptionCounter(window, 0, 2048);
                client.publish("in", in);
                final Target to = context.attach(1 - rank, "in", InProcessJob.deadline());
                context.recordingFifo().priority(2);
                context.recordingFifo().quantum(100, 3);
                final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                    context.expect(in, 128L * parts);
                    for (int i = 0; i < parts; i++) {
                        context.put(to, 128L * i, window, 2048, 128);
                    }
                });
                context.await(pattern, 1, InProcessJob.deadline());
                for (int round = 2; round <= rounds; round++) {
                    context.persistentFifo().priority(round % 16);
                    context.persistentFifo().quantum(1 + round * 7L, 1 + round % 5);
                    context.barrier(InProcessJob.deadline());
                    window.buffer().setMemory(2048, 128, (byte) (round + rank));
                    context.replay(pattern);
                    context.await(pattern, round, InProcessJob.deadline());
                    for (int i = 0; i < 128 * parts; i++) {
                        assertThat(window.buffer().getByte(i)).isEqualTo((byte) (round + 1 - rank));
                    }
                }
                assertThat(context.persistentFifo().descriptors()).isEqualTo((rounds - 1L) * (parts + 1));
                context.barrier(InProcessJob.deadline());
            });
        }
    }
}
