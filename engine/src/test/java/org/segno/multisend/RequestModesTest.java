package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Context;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;

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
