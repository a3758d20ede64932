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
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;

/** Two nodes in every threading mode: recordings from begin to end, operations to nowhere, and long metadata. */
@Timeout(120)
@OverMemoryAndLinks
class RecordingCallsThreadingTest {
    private static final int SIZE = 2;
    private static final int ROUNDS = 20;
    private static final int DISPATCH = 3;
    private static final int METADATA = 128;

    @TempDir
    Path parent;

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldReplayWhatWasRecordedFromBeginToEndWithoutTheNeighboursThatDoNotExist(String modes) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(SIZE, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Client client = job.node(rank).client();
                final Context context = job.context(rank);
                final Window window = client.window(64);
                final ReceptionCounter in = client.receptionCounter(window, 0, 8, 1 - rank);
                final InjectionCounter read = client.injectionCounter();
                client.publish("in", in);
                final Target peer = context.attach(1 - rank, "in", InProcessJob.deadline());
                window.buffer().putLong(32, 100L * rank + 1);
                context.recordBegin(1, Rounds.ORDERED_BY_CALLER);
                context.expect(in, 8);
                context.expect(read, 16);
                context.put(peer, 0, window, 32, 8, read);
                context.put(Target.nowhere(), 0, window, 32, 8, read);
                context.count(Target.nowhere(), -1);
                final Pattern pattern = context.recordEnd();
                for (int round = 1; round <= ROUNDS; round++) {
                    context.await(pattern, round, InProcessJob.deadline());
                    context.await(read, InProcessJob.deadline());
                    assertThat(window.buffer().getLong(0)).isEqualTo(100L * (1 - rank) + round);
                    context.barrier(InProcessJob.deadline());
                    window.buffer().putLong(32, 100L * rank + round + 1);
                    if (round < ROUNDS) {
                        assertThat(context.replay(pattern)).isEqualTo(round + 1);
                    }
                }
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldPassMetadataOfTheLongestLengthToTheHandler(String modes) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(SIZE, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Context context = job.context(rank);
                final Window window = job.node(rank).client().window(256);
                final AtomicLong sum = new AtomicLong();
                context.handler(DISPATCH, (origin, buffer, metadata, length, payload, bytes) -> {
                    assertThat(length).isEqualTo(METADATA);
                    assertThat(buffer.getLong(metadata + METADATA - Long.BYTES)).isEqualTo(buffer.getLong(payload));
                    sum.addAndGet(buffer.getLong(payload));
                });
                context.barrier(InProcessJob.deadline());
                final Message message = new Message()
                        .to(1 - rank, DISPATCH)
                        .metadata(window, 0, METADATA)
                        .payload(window, METADATA, Long.BYTES);
                for (int round = 1; round <= ROUNDS; round++) {
                    window.buffer().putLong(METADATA - Long.BYTES, round);
                    window.buffer().putLong(METADATA, round);
                    context.await(() -> context.send(message) >= 0, InProcessJob.deadline());
                    context.fence(InProcessJob.deadline());
                }
                context.await(() -> sum.get() == ROUNDS * (ROUNDS + 1) / 2, InProcessJob.deadline());
                context.barrier(InProcessJob.deadline());
            });
        }
    }
}
