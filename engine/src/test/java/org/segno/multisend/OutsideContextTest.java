package org.segno.multisend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.node.OverMemoryAndLinks;
import org.segno.operation.Message;
import org.segno.operation.Notification;
import org.segno.pattern.Rounds;

/** Bodies of recordings that use a context that is not recorded. */
@Timeout(120)
@OverMemoryAndLinks
class OutsideContextTest {
    private static final int DISPATCH = 3;

    @TempDir
    Path parent;

    private InProcessJob job;
    private Context first;
    private Context second;
    private Context outside;
    private Window window;
    private ReceptionCounter counter;
    private InjectionCounter read;
    private Target target;
    private InjectionFifo further;
    private final List<Integer> received = new ArrayList<>();

    @BeforeEach
    void join() {
        job = InProcessJob.join(
                parent,
                1,
                NodeConfig.defaults()
                        .withThreading(Threading.INVOKER)
                        .withContexts(3)
                        .withWindowBytes(4096));
        final Client client = job.node(0).client();
        first = client.context(0);
        second = client.context(1);
        outside = client.context(2);
        window = client.window(1024);
        counter = client.receptionCounter(window, 512, 64);
        read = client.injectionCounter();
        client.publish("counter", counter);
        target = first.attach(0, "counter", InProcessJob.deadline());
        further = outside.injectionFifo();
        outside.handler(DISPATCH, (from, buffer, m, ml, p, pl) -> received.add(pl));
    }

    @AfterEach
    void close() {
        job.close();
    }

    private void put(Context context) {
        context.put(target, 0, window, 0, 8);
    }

    private static void assertRefused(ThrowingCallable call, String recorded) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("context 2 of rank 0 is not among those that are recorded, so a replay would omit this"
                        + " operation: use " + recorded + " inside record, or record with JointPattern or Requests and"
                        + " pass context 2 of rank 0 too");
    }

    @Test
    void shouldRefuseTheStartOfARequestThatUsesAnotherContext() {
        try (Requests requests = new Requests(first, second)) {
            final Request request = requests.init(() -> {
                put(first);
                put(outside);
            });
            assertRefused(request::start, "context 0 of rank 0, context 1 of rank 0");
            assertRefused(requests::startAll, "context 0 of rank 0, context 1 of rank 0");
        }
        outside.fence(InProcessJob.deadline());
        assertThat(outside.fifo().descriptorsAcquire()).as("nothing was sent").isZero();
        try (Requests requests = new Requests(first, outside)) {
            final Request request = requests.init(() -> put(outside));
            assertThat(request.start()).isEqualTo(1);
            first.fence(InProcessJob.deadline());
            outside.fence(InProcessJob.deadline());
            assertThat(request.test()).isTrue();
        }
    }

    @Test
    void shouldRefuseEachOperationOfAJointRecordingThroughAnotherContext() {
        final Message message = new Message().to(0, DISPATCH).payload(window, 0, 8);
        final List<Runnable> operations = List.of(
                () -> put(outside),
                () -> outside.putNotifying(target, 0, window, 0, 8, new Notification().at(DISPATCH)),
                () -> outside.put(Target.nowhere(), 0, window, 0, 8),
                () -> outside.get(target, 0, window, 0, 8, read),
                () -> outside.count(target, -1),
                () -> outside.copy(window, 0, window, 64, 8),
                () -> outside.send(message),
                () -> outside.sendImmediate(message),
                () -> outside.waitUntil(counter, 0),
                () -> outside.expect(counter, 8),
                () -> outside.expect(read, 8),
                () -> outside.batch(1, () -> put(outside)),
                () -> further.put(target, 0, window, 0, 8),
                () -> outside.loan().claim(target, 0, 8));
        for (int id = 0; id < operations.size(); id++) {
            final int pattern = id;
            assertRefused(
                    () -> JointPattern.record(
                            pattern, Rounds.ORDERED_BY_CALLER, operations.get(pattern), first, second),
                    "context 0 of rank 0, context 1 of rank 0");
        }
        assertThat(outside.isDrained()).isTrue();
        assertThat(counter.valueAcquire()).isZero();
        put(outside);
        outside.fence(InProcessJob.deadline());
        assertThat(outside.fifo().descriptorsAcquire()).isEqualTo(1);
    }

    @Test
    void shouldRefuseItInARecordingOfOneContextToo() {
        assertRefused(() -> first.record(1, Rounds.ORDERED_BY_CALLER, () -> put(outside)), "context 0 of rank 0");
        assertRefused(
                () -> first.record(2, Rounds.ORDERED_BY_CALLER, () -> {
                    second.record(2, Rounds.ORDERED_BY_CALLER, () -> put(second));
                    put(outside);
                }),
                "context 0 of rank 0");
        first.recordBegin(3, Rounds.ORDERED_BY_CALLER);
        put(outside);
        first.recordEnd();
    }

    @Test
    void shouldInjectPostedWorkAndRepliesOfAnotherContextMeanwhile() {
        outside.replyingHandler(DISPATCH + 1, (origin, buffer, m, ml, p, pl) -> {
            outside.sendImmediate(origin, DISPATCH, buffer, p, pl);
            return 0;
        });
        outside.sendImmediate(outside.endpoint(), DISPATCH + 1, window.buffer(), 0, 4);
        outside.post(() -> {
            outside.sendImmediate(outside.endpoint(), DISPATCH, window.buffer(), 0, 5);
            return 0;
        });
        assertRefused(
                () -> first.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                    while (received.size() < 2) {
                        outside.advance();
                    }
                    put(outside);
                }),
                "context 0 of rank 0");
        assertThat(received).containsExactlyInAnyOrder(4, 5);
    }

    @Test
    void shouldLetAnotherThreadUseAnotherContextMeanwhile() throws Exception {
        final var pool = Executors.newSingleThreadExecutor();
        try {
            first.record(1, Rounds.ORDERED_BY_CALLER, () -> {
                final Future<?> other = pool.submit(() -> {
                    outside.batch(2, () -> {
                        put(outside);
                        outside.batch(1, () -> put(outside));
                    });
                    further.put(target, 0, window, 0, 8);
                    outside.expect(counter, 24);
                });
                try {
                    other.get();
                } catch (final Exception e) {
                    throw new AssertionError(e);
                }
                put(first);
            });
        } finally {
            pool.shutdown();
        }
        outside.fence(InProcessJob.deadline());
        assertThat(outside.fifo().descriptorsAcquire()).isEqualTo(2);
    }

    /** Each thread replaces the sink of the other's context while that one injects, batches and records. */
    @Test
    void shouldLoseNothingOfAnotherThreadWhileRecordingsFollowEachOther() throws Exception {
        final int rounds = 5_000;
        final var pool = Executors.newSingleThreadExecutor();
        int recordings = 0;
        try {
            final Future<?> other = pool.submit(() -> {
                for (int round = 0; round < rounds; round++) {
                    put(outside);
                    outside.batch(2, () -> {
                        put(outside);
                        put(outside);
                    });
                    outside.record(2, Rounds.ORDERED_BY_CALLER, () -> put(outside));
                    outside.fence(InProcessJob.deadline());
                }
            });
            while (!other.isDone()) {
                first.record(1, Rounds.ORDERED_BY_CALLER, () -> put(first));
                first.fence(InProcessJob.deadline());
                recordings++;
            }
            other.get();
        } finally {
            pool.shutdown();
        }
        assertThat(counter.valueAcquire()).isEqualTo(-8L * (4 * rounds + recordings));
    }
}
