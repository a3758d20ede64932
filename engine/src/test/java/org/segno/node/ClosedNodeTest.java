package org.segno.node;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Status;

/** Results of calls to a closed node. */
@Timeout(60)
@OverMemoryAndLinks
class ClosedNodeTest {
    @TempDir
    Path parent;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);

    @ParameterizedTest
    @EnumSource
    void shouldRefuseEveryCall(Threading threading) {
        try (InProcessJob job = InProcessJob.join(parent, 1, SmallNodes.config(threading, 1))) {
            final Map<String, ThrowingCallable> calls = calls(job.node(0).client());

            job.node(0).close();

            calls.forEach((name, call) -> assertThatThrownBy(call)
                    .as(name)
                    .isInstanceOf(ClosedException.class)
                    .hasMessageContaining("rank 0 was closed"));
        }
    }

    private Map<String, ThrowingCallable> calls(Client client) {
        final Context context = client.context();
        final Window window = client.window(64);
        final ReceptionCounter counter = client.receptionCounter(window, 0, 8);
        final CounterPair pair = client.counterPair(window, 8, 16, 8);
        final InjectionCounter injection = client.injectionCounter();
        client.publish("in", counter);
        final Target in = context.attach(0, "in", InProcessJob.deadline());
        final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> context.put(in, 0, window, 0, 8));
        context.await(pattern, 1, InProcessJob.deadline());

        final Map<String, ThrowingCallable> calls = new LinkedHashMap<>();
        calls.put("put", () -> context.put(in, 0, window, 0, 8));
        calls.put("put with a counter", () -> context.put(in, 0, window, 0, 8, injection));
        calls.put("sendImmediate", () -> context.sendImmediate(0, 1, bytes, 0, 8));
        calls.put("send", () -> context.send(new Message().to(0, 1).payload(window, 0, 8)));
        calls.put("count", () -> context.count(in, 1));
        calls.put("copy", () -> context.copy(window, 0, window, 32, 8));
        calls.put("advance", () -> context.advance());
        calls.put("advance with a limit", () -> context.advance(1));
        calls.put("replay", () -> context.replay(pattern));
        calls.put("record", () -> context.record(2, Rounds.ORDERED_BY_CALLER, () -> {}));
        calls.put("expect", () -> context.expect(counter, 8));
        calls.put("expect injected", () -> context.expect(injection, 8));
        calls.put("expect at a pair", () -> context.expect(pair, 8));
        calls.put("barrier", () -> context.barrier(InProcessJob.deadline()));
        calls.put("attach", () -> context.attach(0, "in", InProcessJob.deadline()));
        calls.put("handler", () -> context.handler(1, (source, buffer, m, ml, p, pl) -> {}));
        calls.put("onHit", () -> context.onHit(counter, id -> {}));
        calls.put("await", () -> context.await(() -> false, InProcessJob.deadline()));
        calls.put("window", () -> client.window(8));
        calls.put("receptionCounter", () -> client.receptionCounter(window, 0, 8));
        calls.put("counterPair", () -> client.counterPair(window, 0, 8, 8));
        calls.put("injectionCounter", () -> client.injectionCounter());
        calls.put("publish", () -> client.publish("other", counter));
        calls.put("publish a pair", () -> client.publish("pair", pair));
        return calls;
    }

    /** Uses the documented loop: advance, then retry. */
    @ParameterizedTest
    @EnumSource
    void shouldEndALoopThatSendsInAnotherThread(Threading threading) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, 1, SmallNodes.config(threading, 1))) {
            final Context context = job.context(0);
            context.handler(1, (source, buffer, m, ml, p, pl) -> {});
            final CountDownLatch sending = new CountDownLatch(1);
            final CompletableFuture<Void> loop = CompletableFuture.runAsync(() -> {
                while (true) {
                    while (context.sendImmediate(0, 1, bytes, 0, 8) == Status.BACK_PRESSURED) {
                        context.advance();
                        sending.countDown();
                    }
                }
            });
            sending.await();

            job.node(0).close();

            assertThatThrownBy(() -> loop.get(30, TimeUnit.SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(ClosedException.class);
        }
    }
}
