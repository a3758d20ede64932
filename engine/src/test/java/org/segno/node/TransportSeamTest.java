package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.context.Context;
import org.segno.link.LoopTransport;
import org.segno.link.MappingTransport;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;

/** Transports with links, by the interfaces of {@code org.segno.link} alone. */
class TransportSeamTest {
    private static final int SIZE = 3;
    private static final int ID = 5;

    @TempDir
    Path parent;

    private InProcessJob join(String transport, String modes) {
        return InProcessJob.join(
                parent,
                SmallNodes.configs(SIZE, SmallNodes.modes(modes)).stream()
                        .map(config -> config.withTransport(transport))
                        .toList());
    }

    @Test
    void shouldMakeALinkAtItsFirstUseAndServeItAtBothEnds() {
        try (InProcessJob job = join(LoopTransport.NAME, "INVOKER")) {
            final List<Integer> received = new ArrayList<>();
            for (int rank = 0; rank < SIZE; rank++) {
                job.context(rank)
                        .handler(ID, (from, buffer, m, ml, payload, length) -> received.add(buffer.getInt(payload)));
            }
            job.settle();
            assertThat(LoopTransport.links(parent)).isZero();

            send(job, 0, 1, received);
            assertThat(LoopTransport.links(parent))
                    .as("the peer uses the link that was made")
                    .isEqualTo(1);
            send(job, 1, 0, received);
            send(job, 0, 1, received);
            assertThat(LoopTransport.links(parent)).isEqualTo(1);
            send(job, 2, 1, received);
            assertThat(LoopTransport.links(parent)).isEqualTo(2);
            assertThat(received).containsExactly(1, 10, 1, 21);
        }
    }

    @Test
    void shouldRefuseMemoryThatIsMappedUnderAnotherName() {
        assertThatThrownBy(() -> join(MappingTransport.NAME, "INVOKER"))
                .isInstanceOf(SegnoException.class)
                .hasMessageContaining(
                        "the transport \"mapping\" has mapped the memory of rank 1, which only \"shm\" may do");
    }

    private static void send(InProcessJob job, int from, int to, List<Integer> received) {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[4]);
        bytes.putInt(0, 10 * from + to);
        final int before = received.size();
        assertThat(job.context(from).sendImmediate(to, ID, bytes, 0, 4)).isNotNegative();
        final long deadlineNs = InProcessJob.deadline();
        while (received.size() == before) {
            assertThat(Deadline.reached(deadlineNs)).isFalse();
            job.settle();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"INVOKER", "DEDICATED", "SHARED", "MIXED"})
    void shouldJoinNodesOfEachThreadingMode(String modes) throws Exception {
        for (final String transport : List.of(LoopTransport.NAME, ProcessLinks.NAME)) {
            try (InProcessJob job = join(transport, modes)) {
                job.onThreads(rank -> exchange(job, rank));
            }
        }
        assertThat(LoopTransport.links(parent)).isEqualTo(SIZE);
    }

    private static void exchange(InProcessJob job, int rank) {
        final Context context = job.context(rank);
        final Window window = job.node(rank).client().window(256);
        final ReceptionCounter in = job.node(rank).client().receptionCounter(window, 0, 8L * SIZE);
        job.node(rank).client().publish("in", in);
        in.expect(8L * (SIZE - 1));
        window.buffer().putLong(128, rank + 1);
        for (int peer = 0; peer < SIZE; peer++) {
            if (peer != rank) {
                final Target target = context.attach(peer, "in", InProcessJob.deadline());
                context.put(target, 8L * rank, window, 128, 8);
            }
        }
        context.await(in, InProcessJob.deadline());
        for (int peer = 0; peer < SIZE; peer++) {
            assertThat(window.buffer().getLong(8 * peer)).isEqualTo(peer == rank ? 0 : peer + 1);
        }
        context.barrier(InProcessJob.deadline());
    }
}
