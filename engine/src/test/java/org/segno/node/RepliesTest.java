package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/**
 * Messages that handlers send: requests and replies both ways, in every mode, and the operations that handlers refuse.
 */
@OverMemoryAndLinks
class RepliesTest {
    private static final int REQUEST = 1;
    private static final int REPLY = 2;

    @TempDir
    private Path parent = Path.of("");

    /**
     * Lets every rank send requests to all ranks, itself included, as fast as it can, and reply in its handlers; lanes
     * have the least length.
     */
    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "INVOKER, 2, 5000",
        "INVOKER, 3, 1500",
        "DEDICATED, 2, 600",
        "SHARED, 3, 300",
        "MIXED, 3, 300",
    })
    void shouldEndAFloodOfRequestsAndRepliesBothWays(String modes, int size, int count) throws Exception {
        flood(modes, size, count);
    }

    @Tag("stress")
    @Timeout(600)
    @ParameterizedTest
    @CsvSource({
        "INVOKER, 2, 50000",
        "INVOKER, 3, 12500",
        "DEDICATED, 2, 5000",
        "SHARED, 3, 2000",
        "MIXED, 3, 2000",
    })
    void shouldEndALongFloodOfRequestsAndRepliesBothWays(String modes, int size, int count) throws Exception {
        flood(modes, size, count);
    }

    private void flood(String modes, int size, int count) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, SmallNodes.configs(size, SmallNodes.modes(modes)))) {
            job.onThreads(rank -> {
                final Context context = job.context(rank);
                final long[] next = new long[size];
                final long[] replied = new long[size];
                final UnsafeBuffer reply = new UnsafeBuffer(new byte[Long.BYTES]);
                context.replyingHandler(REQUEST, (source, buffer, m, ml, payload, length) -> {
                    reply.putLong(0, -buffer.getLong(payload));
                    return context.sendImmediate(source, REPLY, reply, 0, Long.BYTES);
                });
                context.handler(REPLY, (origin, buffer, m, ml, payload, length) -> {
                    final int source = Endpoint.task(origin);
                    assertThat(buffer.getLong(payload)).isEqualTo(-replied[source]);
                    replied[source]++;
                });
                context.barrier(InProcessJob.deadline());
                final UnsafeBuffer request = new UnsafeBuffer(new byte[Long.BYTES]);
                for (int sent = 0; sent < count * size; ) {
                    final int to = sent % size;
                    request.putLong(0, next[to]);
                    if (context.sendImmediate(to, REQUEST, request, 0, Long.BYTES) < 0) {
                        // The context advances only when all queues are full.
                        context.advance(3);
                    } else {
                        next[to]++;
                        sent++;
                    }
                }
                for (int from = 0; from < size; from++) {
                    final int rankAwaited = from;
                    context.await(() -> replied[rankAwaited] == count, InProcessJob.deadline());
                }
                context.barrier(InProcessJob.deadline());
            });
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldRedeliverAMessageWhenItsReplyDoesNotFitAndHoldItsLaneAlone() {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            final Context zero = job.context(0);
            final Context one = job.context(1);
            final long[] tries = new long[1];
            final boolean[] ready = new boolean[1];
            final long[] others = new long[1];
            zero.replyingHandler(REQUEST, (source, buffer, m, ml, payload, length) -> {
                tries[0]++;
                return ready[0] ? 0 : Status.AGAIN;
            });
            zero.handler(REPLY, (source, buffer, m, ml, payload, length) -> others[0]++);
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[Long.BYTES]);
            one.sendImmediate(0, REQUEST, bytes, 0, 8);
            one.sendImmediate(0, REPLY, bytes, 0, 8);
            one.advance();
            zero.sendImmediate(0, REPLY, bytes, 0, 8);
            zero.advance();
            zero.advance();
            zero.advance();
            assertThat(tries[0]).isEqualTo(3);
            assertThat(others[0])
                    .as("from itself, and not from the lane that is held")
                    .isEqualTo(1);

            ready[0] = true;
            job.settle();

            assertThat(tries[0]).isEqualTo(4);
            assertThat(others[0]).isEqualTo(2);
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldLetAHandlerPutAndCountToo() {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            final Context zero = job.context(0);
            final Context one = job.context(1);
            final Window window = job.node(0).client().window(64);
            final ReceptionCounter inbox = job.node(0).client().receptionCounter(window, 0, 64, 1);
            job.node(0).client().publish("inbox", inbox);
            final Window source = job.node(1).client().window(64);
            source.buffer().putLong(8, 42);
            final Target target = one.attach(0, "inbox", InProcessJob.deadline());
            final boolean[] done = new boolean[1];
            zero.onHit(inbox, counter -> done[0] = true);
            one.replyingHandler(REQUEST, (from, buffer, m, ml, payload, length) -> one.put(target, 16, source, 8, 8));
            inbox.expect(8);

            zero.sendImmediate(1, REQUEST, new UnsafeBuffer(new byte[8]), 0, 8);
            job.settle();

            assertThat(window.buffer().getLong(16)).isEqualTo(42);
            assertThat(done[0]).as("the hit came through the lane of replies").isTrue();
        }
    }

    @Test
    void shouldNameTheOperationsThatAHandlerRefuses() {
        try (InProcessJob job = InProcessJob.join(parent, 1, SmallNodes.config(Threading.INVOKER, 1))) {
            final Context context = job.context(0);
            final Window window = job.node(0).client().window(4096);
            final ReceptionCounter counter = job.node(0).client().receptionCounter(window, 0, 8);
            final UnsafeBuffer bytes = new UnsafeBuffer(new byte[Long.BYTES]);
            context.handler(3, (source, buffer, m, ml, payload, length) -> context.sendImmediate(0, 9, bytes, 0, 8));
            context.replyingHandler(4, (source, buffer, m, ml, payload, length) -> context.waitUntil(counter, 0));
            context.replyingHandler(
                    5,
                    (source, buffer, m, ml, payload, length) ->
                            context.send(new Message().to(0, 9).payload(window, 0, 300)));
            context.replyingHandler(
                    6,
                    (source, buffer, m, ml, payload, length) -> context.record(1, Rounds.ORDERED_BY_CALLER, () -> {})
                            .generation());
            // The handler's own message reaches the same handler as a reply, where a send is refused.
            context.replyingHandler(
                    7, (source, buffer, m, ml, payload, length) -> context.sendImmediate(0, 7, bytes, 0, 8));

            assertRefused(context, 3, "only a replying handler can send");
            assertRefused(context, 4, "a handler cannot inject a WAIT");
            assertRefused(context, 5, "a quarter of the target's lane of 1024 bytes");
            assertRefused(context, 6, "a handler cannot record");
            assertRefused(context, 7, "not while it handles a reply");
            context.sendImmediate(0, 8, bytes, 0, 8);
            job.settle();
            assertThat(context.isDrained()).isTrue();
        }
    }

    private static void assertRefused(Context context, int id, String why) {
        context.sendImmediate(0, id, new UnsafeBuffer(new byte[8]), 0, 8);
        assertThatThrownBy(() -> {
                    for (int pass = 0; pass < 10; pass++) {
                        context.advance();
                    }
                })
                .isInstanceOfAny(IllegalStateException.class, IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    /**
     * Runs two threads of each node, each with a context and its engine, that exchange messages with two of the other
     * at once.
     */
    @ParameterizedTest
    @CsvSource({"INVOKER, 1", "DEDICATED, 2", "SHARED, 2"})
    void shouldLetEveryContextHaveAnEngineOfItsOwn(Threading threading, int engines) throws Exception {
        final int contexts = 2;
        final int count = threading == Threading.INVOKER ? 5000 : 250;
        final NodeConfig config = SmallNodes.config(threading, 2 * contexts * contexts)
                .withContexts(contexts)
                .withEngines(engines);
        try (InProcessJob job = InProcessJob.join(parent, List.of(config, config))) {
            final Thread[] threads = new Thread[2 * contexts];
            final Throwable[] failed = new Throwable[threads.length];
            for (int i = 0; i < threads.length; i++) {
                final int number = i;
                threads[i] = new Thread(() -> {
                    try {
                        exchange(job, number / contexts, number % contexts, count);
                    } catch (final Throwable e) {
                        failed[number] = e;
                    }
                });
                threads[i].start();
            }
            for (final Thread thread : threads) {
                thread.join();
            }
            assertThat(failed).containsOnlyNulls();
        }
    }

    private static void exchange(InProcessJob job, int rank, int index, int count) {
        final Context context = job.node(rank).client().context(index);
        final long deadlineNs = InProcessJob.deadline();
        final Window window;
        synchronized (job) {
            window = job.node(rank).client().window(64);
        }
        final long[] came = new long[2];
        context.handler(REPLY, (source, buffer, m, ml, payload, length) -> {
            final int from = buffer.getInt(payload);
            assertThat(buffer.getInt(payload + 4)).isEqualTo((int) came[from]);
            came[from]++;
        });
        context.barrier(deadlineNs);
        final Message message = new Message();
        for (int sent = 0; sent < count; sent++) {
            for (int to = 0; to < 2; to++) {
                window.buffer().putInt(to * 8, index);
                window.buffer().putInt(to * 8 + 4, sent);
                message.to(1 - rank, to, REPLY).payload(window, to * 8L, 8);
                while (context.send(message) < 0) {
                    context.advance();
                }
            }
            // The payload is the engine's until it has been read.
            context.await(context::isDrained, deadlineNs);
        }
        context.await(() -> came[0] == count && came[1] == count, deadlineNs);
        context.barrier(deadlineNs);
    }

    @Test
    void shouldNameTheRankWithAnotherNumberOfEngines() {
        final NodeConfig one = SmallNodes.config(Threading.INVOKER, 8);
        assertThatThrownBy(() -> InProcessJob.join(parent, List.of(one, one.withContexts(2))))
                .hasMessageContaining("rank 1 has 2 engines, rank 0 has 1")
                .hasMessageContaining("withEngines");
    }
}
