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
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.OverMemoryAndLinks;
import org.segno.operation.Message;
import org.segno.status.ClosedException;
import org.segno.status.Deadline;

/** Persistent requests of two ranks, in each threading mode. */
@Timeout(120)
@OverMemoryAndLinks
class RequestModesTest {
    private static final int DISPATCH = 9;
    private static final int ROUNDS = 500;
    private static final int FREED = 100;

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

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldPutAndMulticastInEachThreadingMode(Threading threading) throws Exception {
        try (InProcessJob job = InProcessJob.join(
                directory, 2, NodeConfig.defaults().withThreading(threading).withWindowBytes(1 << 14))) {
            job.onThreads(rank -> putAndMulticast(job, rank));
        }
    }

    /** Each rank puts 8 bytes at the other one, and sends 8 bytes to it, by one start of both requests. */
    private static void putAndMulticast(InProcessJob ranks, int rank) {
        final Context own = ranks.context(rank);
        final Client client = ranks.node(rank).client();
        final Window window = client.window(64);
        final ReceptionCounter in = client.receptionCounter(window, 0, 8, 1 - rank);
        client.publish("in", in);
        final Target peer = own.attach(1 - rank, "in", InProcessJob.deadline());
        final Message message =
                new Message().to(1 - rank, DISPATCH).metadata(window, 48, 8).payload(window, 32, 8);
        final long[] received = new long[2];
        own.handler(DISPATCH, (from, buffer, m, ml, p, pl) -> {
            received[0] = buffer.getLong(p);
            received[1]++;
        });
        own.barrier(InProcessJob.deadline());
        final long[] endpoints = {client.endpoint(1 - rank, 0, InProcessJob.deadline())};
        try (Requests requests = new Requests(own)) {
            requests.init(() -> {
                own.expect(in, 8);
                own.put(peer, 0, window, 16, 8);
            });
            final Request multicast = requests.init(() -> own.multicast(message, endpoints, 0, 1));
            for (long round = 1; round <= ROUNDS; round++) {
                window.buffer().putLong(16, 10 * round + rank);
                window.buffer().putLong(32, 20 * round + rank);
                assertThat(requests.startAll()).isEqualTo(round);
                final long expected = round;
                own.await(() -> multicast.test() && received[1] == expected, InProcessJob.deadline());
                assertThat(window.buffer().getLong(0)).isEqualTo(10 * round + 1 - rank);
                assertThat(received[0]).isEqualTo(20 * round + 1 - rank);
                own.barrier(InProcessJob.deadline());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Threading.class)
    void shouldCompleteAStartOfAFreedRequestInEachThreadingMode(Threading threading) throws Exception {
        final NodeConfig config =
                NodeConfig.defaults().withThreading(threading).withPatterns(8).withWindowBytes(1 << 14);
        try (InProcessJob job = InProcessJob.join(directory, 2, config)) {
            job.onThreads(rank -> freeInProgress(job, rank));
        }
    }

    /** Each rank sends each of its numbers by a request of its own, which it frees as soon as it has started it. */
    private static void freeInProgress(InProcessJob ranks, int rank) {
        final Context own = ranks.context(rank);
        final Window source = ranks.node(rank).client().window(64);
        final Message message = new Message().to(1 - rank, DISPATCH).payload(source, 0, 8);
        final long[] last = new long[1];
        own.handler(DISPATCH, (from, buffer, m, ml, p, pl) -> {
            last[0]++;
            assertThat(buffer.getLong(p)).isEqualTo(10 * last[0] + 1 - rank);
        });
        own.barrier(InProcessJob.deadline());
        try (Requests requests = new Requests(own)) {
            for (long round = 1; round <= FREED; round++) {
                source.buffer().putLong(0, 10 * round + rank);
                final Request send = requests.init(() -> own.send(message));
                assertThat(send.start()).isEqualTo(1);
                send.free();
                assertThatThrownBy(send::start).hasMessageContaining("was freed");
                own.await(send::test, InProcessJob.deadline());
            }
        }
        own.await(() -> last[0] == FREED, InProcessJob.deadline());
        own.barrier(InProcessJob.deadline());
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
