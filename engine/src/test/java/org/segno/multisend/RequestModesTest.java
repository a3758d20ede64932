package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;

/** Persistent requests of two ranks, in each threading mode. */
@Timeout(120)
class RequestModesTest {
    private static final int DISPATCH = 9;
    private static final int ROUNDS = 500;

    @TempDir
    Path directory;

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldExchangeInEachThreadingMode(Threading threading) throws Exception {
        try (InProcessJob job = InProcessJob.join(
                directory, 2, NodeConfig.defaults().withThreading(threading).withWindowBytes(1 << 14))) {
            job.onThreads(rank -> pingPong(job, rank));
        }
    }

    /**
     * Two requests wait for different ranks. The departure of one rank fails its request, whichever is tested first.
     */
    @Test
    void shouldFailTheRequestOfARankThatHasLeftBesideAnotherRequest() {
        try (InProcessJob job = InProcessJob.join(
                directory,
                3,
                NodeConfig.defaults().withThreading(Threading.INVOKER).withWindowBytes(1 << 14))) {
            final Context own = job.context(0);
            final Client client = job.node(0).client();
            final Window window = client.window(64);
            final ReceptionCounter ofFirst = client.receptionCounter(window, 0, 8, 1);
            final ReceptionCounter ofSecond = client.receptionCounter(window, 8, 8, 2);
            try (Requests requests = new Requests(own)) {
                final Request first = requests.init(() -> own.expect(ofFirst, 8));
                final Request second = requests.init(() -> own.expect(ofSecond, 8));
                assertThat(second.start()).isEqualTo(1);
                assertThat(first.start()).isEqualTo(1);
                job.node(1).close();
                final long deadlineNs = InProcessJob.deadline();
                while (own.failure(1) == null) {
                    assertThat(Deadline.reached(deadlineNs)).isFalse();
                    own.advance();
                }
                for (int i = 0; i < 100; i++) {
                    own.advance();
                    assertThat(second.test()).isFalse();
                }
                assertThatThrownBy(first::test).isInstanceOf(ClosedException.class);
                assertThat(second.test()).isFalse();
            }
        }
    }

    /** Rank 0 starts a send, rank 1 sends back when it has received it. */
    private static void pingPong(InProcessJob ranks, int rank) {
        final Context own = ranks.context(rank);
        final Window source = ranks.node(rank).client().window(64);
        final Message message = new Message().to(1 - rank, DISPATCH).payload(source, 0, 8);
        final long[] last = new long[1];
        try (Requests requests = new Requests(own)) {
            final Request send = requests.init(() -> own.send(message));
            final Request receive = requests.receive();
            own.handler(DISPATCH, (from, buffer, m, ml, p, pl) -> {
                last[0] = buffer.getLong(p);
                receive.received();
            });
            own.barrier(InProcessJob.deadline());
            for (long round = 1; round <= ROUNDS; round++) {
                if (rank == 1) {
                    receive(own, receive, round);
                    assertThat(last[0]).isEqualTo(10 * round);
                }
                source.buffer().putLong(0, 10 * round + rank);
                assertThat(send.start()).isEqualTo(round);
                own.await(send::test, InProcessJob.deadline());
                if (rank == 0) {
                    receive(own, receive, round);
                    assertThat(last[0]).isEqualTo(10 * round + 1);
                }
            }
        }
        own.barrier(InProcessJob.deadline());
    }

    private static void receive(Context own, Request receive, long round) {
        assertThat(receive.start()).isEqualTo(round);
        own.await(receive::test, InProcessJob.deadline());
    }
}
