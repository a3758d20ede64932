package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.multisend.Multicast;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/**
 * Persistent requests of each kind, prepared once and started many times: each start sends the current contents of the
 * windows.
 */
@Timeout(120)
@OverMemoryAndLinks
class PersistentRequestsTest {
    private static final int ROUNDS = 100;
    private static final int DISPATCH = 9;

    @TempDir
    Path directory;

    private InProcessJob job;
    private Context context;
    private Window window;
    private Window far;
    private final List<Long> received = new ArrayList<>();

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                directory,
                2,
                NodeConfig.defaults().withThreading(Threading.INVOKER).withWindowBytes(1 << 12));
        context = job.context(0);
        window = job.node(0).client().window(1024);
        far = job.node(1).client().window(1024);
        for (int rank = 0; rank < 2; rank++) {
            final int self = rank;
            job.context(rank)
                    .handler(
                            DISPATCH,
                            (from, buffer, m, ml, p, pl) ->
                                    received.add(self + buffer.getLong(p) + (ml == 0 ? 0 : buffer.getLong(m))));
        }
    }

    @AfterEach
    void close() {
        assertThat(job.node(0).metrics().replays()).isEqualTo(ROUNDS);
        job.close();
    }

    private Target attach(String name) {
        return context.attach(1, name, InProcessJob.deadline());
    }

    private void start(Pattern pattern, long round) {
        assertThat(pattern.generation()).isEqualTo(round - 1);
        assertThat(context.replay(pattern)).isEqualTo(round);
        job.advanceUntil(pattern::isComplete);
        job.settle();
    }

    @Test
    void shouldSendAgain() {
        final Message message =
                new Message().to(1, DISPATCH).metadata(window, 0, 8).payload(window, 8, 16);
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> context.send(message));
        job.settle();
        assertThat(received).as("nothing is sent by preparing").isEmpty();
        for (long round = 1; round <= ROUNDS; round++) {
            window.buffer().putLong(0, 1000 * round);
            window.buffer().putLong(8, round);
            start(pattern, round);
            job.advanceUntil(() -> !received.isEmpty());
            assertThat(received).containsExactly(1 + 1001 * round);
            received.clear();
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldPutAgain() {
        final ReceptionCounter there = job.node(1).client().receptionCounter(far, 0, 64);
        final InjectionCounter read = job.node(0).client().injectionCounter();
        job.node(1).client().publish("there", there);
        final Target target = attach("there");
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            context.expect(read, 24);
            context.put(target, 8, window, 0, 24, read);
        });
        for (long round = 1; round <= ROUNDS; round++) {
            window.buffer().putLong(0, round);
            window.buffer().putLong(16, -round);
            start(pattern, round);
            assertThat(far.buffer().getLong(8)).isEqualTo(round);
            assertThat(far.buffer().getLong(24)).isEqualTo(-round);
            assertThat(there.valueAcquire()).isEqualTo(-24 * round);
            assertThat(read.valueAcquire()).isZero();
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldGetAgain() {
        job.node(1)
                .client()
                .publish(
                        "there",
                        job.node(1).client().receptionCounter(far, 0, 64, ReceptionCounter.ANYBODY, Right.GET));
        final InjectionCounter here = job.node(0).client().injectionCounter();
        final Target target = attach("there");
        final Pattern pattern = context.prepare(Rounds.ORDERED_BY_CALLER, () -> {
            context.expect(here, 24);
            context.get(target, 8, window, 512, 24, here);
        });
        for (long round = 1; round <= ROUNDS; round++) {
            far.buffer().putLong(8, round);
            far.buffer().putLong(24, -round);
            start(pattern, round);
            context.await(here, InProcessJob.deadline());
            assertThat(window.buffer().getLong(512)).isEqualTo(round);
            assertThat(window.buffer().getLong(528)).isEqualTo(-round);
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldExpectAgain() {
        final CounterPair here = job.node(0).client().counterPair(window, 0, 64, 64);
        job.node(0).client().publish("here", here);
        final Context peer = job.context(1);
        final Target target = peer.attach(0, "here", InProcessJob.deadline());
        final Pattern pattern = context.prepare(Rounds.ALTERNATE, () -> context.expect(here, 16));
        assertThat(here.counter(1).valueAcquire())
                .as("nothing is expected by preparing")
                .isZero();
        for (long round = 1; round <= ROUNDS; round++) {
            far.buffer().putLong(0, round);
            far.buffer().putLong(8, -round);
            assertThat(context.replay(pattern)).isEqualTo(round);
            peer.put(target.ofRound(round), 0, far, 0, 8);
            job.settle();
            assertThat(pattern.isComplete()).as("half of it has come").isFalse();
            assertThat(context.replay(pattern)).isEqualTo(Status.BUSY);
            peer.put(target.ofRound(round), 8, far, 8, 8);
            job.settle();
            context.await(pattern, round, InProcessJob.deadline());
            assertThat(window.buffer().getLong((int) here.offset(round))).isEqualTo(round);
            assertThat(window.buffer().getLong((int) here.offset(round) + 8)).isEqualTo(-round);
        }
    }

    @Test
    void shouldMulticastAgain() {
        final Multicast multicast = new Multicast(
                        context, DISPATCH, window, Endpoint.of(0, 0, 0, 0), Endpoint.of(1, 0, 0, 0))
                .payload(window, 8, 8)
                .metadata(window, 0, 8);
        for (long round = 1; round <= ROUNDS; round++) {
            window.buffer().putLong(0, 1000 * round);
            window.buffer().putLong(8, round);
            assertThat(multicast.start()).isEqualTo(round);
            job.advanceUntil(() -> received.size() >= 2);
            multicast.await(InProcessJob.deadline());
            assertThat(received).containsExactlyInAnyOrder(1001 * round, 1 + 1001 * round);
            received.clear();
        }
    }
}
