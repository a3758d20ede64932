package org.segno.node;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.concurrent.CyclicBarrier;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.combine.ElementType;
import org.segno.combine.Operator;
import org.segno.combine.UserOperator;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.Loan;
import org.segno.context.PreparedPut;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.memory.WindowSlots;
import org.segno.message.Completion;
import org.segno.message.Completions;
import org.segno.message.Messenger;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Combine;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Status;

/** Allocation in the steady state: 0 bytes per operation, by the JVM's own count for the thread. */
@OverMemoryAndLinks
class NodeAllocationTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP = 10_000;
    private static final int OPERATIONS = 5_000;

    /** Long enough for four of them. */
    private static final long HEARTBEATS_NS = 1_100_000_000;

    @TempDir
    Path parent;

    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[32]);
    private final Message message = new Message();
    private long handled;

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldAllocateNothingToSendToReceiveAndToWait() {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            final Context sender = job.context(0);
            final Context receiver = job.context(1);
            final Window source = job.node(0).client().window(1024);
            final Window target = job.node(1).client().window(1024);
            final ReceptionCounter counter = job.node(1).client().receptionCounter(target, 0, 1024);
            final InjectionCounter injected = job.node(0).client().injectionCounter();
            job.node(1).client().publish("in", counter);
            final Target in = sender.attach(1, "in", InProcessJob.deadline());
            receiver.handler(3, (from, buffer, m, ml, p, pl) -> handled++);
            receiver.onHit(counter, id -> handled++);
            message.to(1, 3).metadata(bytes, 0, 24).payload(source, 0, 300);
            final long deadline = InProcessJob.deadline();

            assertAllocatesNothing("put, advance, await", () -> {
                counter.expect(100);
                injected.expect(100);
                sender.put(in, 0, source, 0, 100, injected);
                sender.await(injected, deadline);
                receiver.await(counter, deadline);
            });
            assertAllocatesNothing("send", () -> {
                sender.sendImmediate(1, 3, bytes, 0, 8);
                sender.sendImmediate(1, 3, bytes, 0, 31);
                sender.send(message);
                sender.advance();
                receiver.advance();
            });
            assertAllocatesNothing("count, copy", () -> {
                sender.count(in, -1);
                sender.copy(source, 0, source, 512, 200);
                counter.expect(1);
                sender.advance();
                receiver.advance();
            });
            final Target words = words(job);
            final Rmw rmw = new Rmw().completes(injected).result(source, 512);
            assertAllocatesNothing("get, rmw", () -> {
                injected.expect(300 + 2 * Rmw.LENGTH);
                sender.get(words, 0, source, 0, 300, injected);
                sender.rmw(words, 0, rmw.fetchAdd(1));
                sender.rmw(words, 8, rmw.xor(-1));
                sender.await(injected, deadline);
            });
            assertAllocatesNothing("back pressure", () -> {
                while (sender.put(in, 0, source, 0, 8) != Status.BACK_PRESSURED) {
                    counter.expect(8);
                }
                sender.advance();
            });
            assertAllocatesNothing("advance with nothing to do", () -> receiver.advance());
            assertThat(handled).isPositive();
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldAllocateNothingToCombine() {
        try (InProcessJob job = InProcessJob.join(parent, 1, SmallNodes.config(Threading.INVOKER, 1))) {
            final Context sender = job.context(0);
            final Window source = job.node(0).client().window(1024);
            final InjectionCounter injected = job.node(0).client().injectionCounter();
            final long deadline = InProcessJob.deadline();
            final Combine sum = Combine.of(ElementType.INT, Operator.SUM).completes(injected);
            final Combine minimum =
                    Combine.of(ElementType.DOUBLE_PAIR, Operator.MINIMUM_PAIR).with(source, 512);
            final Combine user = Combine.of(ElementType.LONG, 5).reversed();
            job.node(0).client().operator(5, new Sum());
            assertAllocatesNothing("combine", () -> {
                injected.expect(200);
                sender.combine(source, 0, source, 512, 200, sum);
                sender.combine(source, 0, source, 256, 160, minimum);
                sender.combine(source, 0, source, 256, 160, user);
                sender.await(injected, deadline);
                sender.advance();
            });
        }
    }

    private static final class Sum implements UserOperator {
        @Override
        public void combine(
                ElementType type, DirectBuffer left, DirectBuffer right, MutableDirectBuffer result, int count) {
            for (int at = 0; at < count * Long.BYTES; at += Long.BYTES) {
                result.putLong(at, left.getLong(at) + right.getLong(at));
            }
        }

        @Override
        public boolean isCommutative() {
            return true;
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldAllocateNothingForOwedEvents() {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            final Context sender = job.context(0);
            final Context receiver = job.context(1);
            final Client owner = job.node(1).client();
            final ReceptionCounter counter = owner.receptionCounter(owner.window(1024), 0, 1024);
            owner.publish("in", counter);
            final Target in = sender.attach(1, "in", InProcessJob.deadline());
            receiver.onHit(counter, id -> handled++);
            final Loan loan = sender.loan();
            assertThat(loan.claim(message.to(1, 3), 8))
                    .as("it leaves no room for events")
                    .isNotNegative();
            assertAllocatesNothing("owed events", () -> {
                counter.expect(1);
                sender.count(in, -1);
                sender.advance();
                receiver.advance();
            });
            assertThat(handled).as("each was raised").isGreaterThanOrEqualTo(OPERATIONS);
            loan.abandon();
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldAllocateNothingForLoansAndSlots() {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            final Client client = job.node(0).client();
            final Context sender = job.context(0);
            final Context receiver = job.context(1);
            final Client owner = job.node(1).client();
            owner.publish("in", owner.receptionCounter(owner.window(1024), 0, 1024));
            final Target in = sender.attach(1, "in", InProcessJob.deadline());
            final InjectionCounter injected = client.injectionCounter();
            final PreparedPut prepared = sender.preparePut(in, client.window(64), null);
            assertAllocatesNothing("prepared puts", () -> {
                prepared.put(0, 0, 60);
                prepared.put(60, 60, 4);
                sender.advance();
            });
            final Loan loan = sender.loan();
            final Message to = new Message().to(1, 3);
            final WindowSlots slots = WindowSlots.of(client.window(4096), 100);
            receiver.handler(3, (from, buffer, m, ml, p, pl) -> handled++);
            assertAllocatesNothing("loans of ranges", () -> {
                loan.claim(in, 0, 16);
                loan.buffer().putLong(8, handled);
                injected.expect(16);
                loan.publish(injected);
                sender.advance();
                loan.claim(in, 0, 16);
                loan.abandon();
            });
            assertAllocatesNothing("loans of records", () -> {
                loan.claim(to, 100);
                loan.buffer().putLong(0, handled);
                loan.publish();
                receiver.advance();
            });
            assertAllocatesNothing("slots", () -> {
                final long slot = slots.claim();
                slots.release(slot);
            });
            assertThat(handled).isPositive();
        }
    }

    @Test
    void shouldAllocateNothingToSendMessagesHoweverTheyTravel() {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            final Client client = job.node(0).client();
            final Context sender = job.context(0);
            final Context receiver = job.context(1);
            final Messenger messenger = Messenger.open(client, sender);
            final Window landing = job.node(1).client().window(4096);
            final Window source = client.window(4096);
            final Completion completion = failure -> handled++;
            Messenger.open(job.node(1).client(), receiver)
                    .handler(3, received -> received.into(landing, 0, completion));
            for (final int length : new int[] {8, 300, 4096}) {
                message.to(1, 3).metadata(bytes, 0, 24).payload(source, 0, length);
                assertAllocatesNothing("message of " + length + " bytes with both completions", () -> {
                    final long before = handled;
                    messenger.send(message, completion, completion);
                    while (handled < before + 3) {
                        sender.advance();
                        receiver.advance();
                    }
                });
            }
        }
    }

    @Test
    void shouldAllocateNothingToReplyAndToDefer() {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            final Client client = job.node(0).client();
            final Context sender = job.context(0);
            final Context receiver = job.context(1);
            final Window landing = client.window(4096);
            final Window replies = job.node(1).client().window(4096);
            final Window source = client.window(4096);
            final Completion completion = failure -> handled++;
            final Messenger messenger = Messenger.open(client, sender);
            final Messenger other = Messenger.open(job.node(1).client(), receiver);
            final Message reply = new Message();
            final long[] deferred = new long[1];
            other.handler(3, received -> {
                reply.to(received.origin(), 4).payload(replies, 0, received.payloadLong(0));
                return other.send(reply, completion, completion);
            });
            messenger.handler(4, received -> received.into(landing, 0, completion));
            other.handler(5, received -> deferred[0] = received.defer());
            for (final int length : new int[] {8, 200, 4096}) {
                source.putLong(0, length);
                message.to(1, 3).metadata(bytes, 0, 0).payload(source, 0, 8);
                assertAllocatesNothing("reply of " + length + " bytes with both completions", () -> {
                    final long before = handled;
                    messenger.send(message);
                    while (handled < before + 3) {
                        sender.advance();
                        receiver.advance();
                    }
                });
            }
            message.to(1, 5).payload(source, 0, 4096);
            assertAllocatesNothing("deferred message", () -> {
                final long before = handled;
                deferred[0] = 0;
                messenger.send(message, null, completion);
                while (deferred[0] <= 0) {
                    sender.advance();
                    receiver.advance();
                }
                other.accept(deferred[0], replies, 0, completion);
                while (handled < before + 2) {
                    sender.advance();
                    receiver.advance();
                }
            });
        }
    }

    @Test
    @MappedOnly(MappedOnly.ONE_THREAD)
    void shouldAllocateNothingForOneSidedCallsWithCompletions() {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            final Client client = job.node(0).client();
            final Context sender = job.context(0);
            final Messenger messenger = Messenger.open(client, sender);
            final Window source = client.window(4096);
            final Target words = words(job);
            final Rmw rmw = new Rmw().result(source, 512).fetchAdd(1);
            final Completion completion = failure -> handled++;
            final Completions both = new Completions().local(completion).remote(completion);
            assertAllocatesNothing("get, rmw with completions", () -> {
                final long before = handled;
                messenger.get(words, 0, source, 0, 300, both);
                messenger.rmw(words, 0, rmw, both);
                while (handled < before + 4) {
                    sender.advance();
                }
            });
        }
    }

    @Test
    void shouldAllocateNothingToAdvanceSeveralContexts() {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            final Context[] both = {job.context(0), job.context(1)};
            both[0].onDeath(rank -> handled++);
            both[1].handler(3, (from, buffer, m, ml, p, pl) -> handled++);
            assertAllocatesNothing("advanceAll", () -> {
                both[0].sendImmediate(1, 3, bytes, 0, 8);
                Context.advanceAll(both);
            });
            assertThat(handled).isPositive();
        }
    }

    private static Target words(InProcessJob job) {
        final Client owner = job.node(1).client();
        owner.publish("words", owner.receptionCounter(owner.window(1024), 0, 1024, 0, Right.GET, Right.ATOMIC));
        return job.context(0).attach(1, "words", InProcessJob.deadline());
    }

    @Test
    void shouldAllocateNothingToReplay() {
        try (InProcessJob job = InProcessJob.join(parent, 1, SmallNodes.config(Threading.INVOKER, 1))) {
            final Client client = job.node(0).client();
            final Context context = client.context();
            final Window window = client.window(1024);
            final CounterPair pair = client.counterPair(window, 256, 512, 64);
            client.publish("in", pair);
            final Target to = context.attach(0, "in", InProcessJob.deadline());
            context.handler(3, (from, buffer, m, ml, p, pl) -> handled++);
            final Pattern pattern = context.record(1, Rounds.ALTERNATE, () -> {
                context.expect(pair, 16);
                context.put(to, 0, window, 0, 8);
                context.put(to, 8, window, 8, 8);
                context.sendImmediate(0, 3, bytes, 0, 8);
            });
            final long deadline = InProcessJob.deadline();
            context.await(pattern, 1, deadline);
            assertAllocatesNothing("replay, await", () -> {
                final long generation = context.replay(pattern);
                context.await(pattern, generation, deadline);
            });
            assertAllocatesNothing("barrier of one", () -> context.barrier(deadline));
        }
    }

    @Test
    void shouldAllocateNothingInABarrierAmongThreads() throws Exception {
        final int rounds = 2000;
        final long[] allocated = new long[2];
        final CyclicBarrier warm = new CyclicBarrier(2);
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            job.onThreads(rank -> {
                final Context context = job.context(rank);
                final long deadline = InProcessJob.deadline();
                long least = Long.MAX_VALUE;
                for (int attempt = 0; attempt < 4; attempt++) {
                    warm.await();
                    final long before = THREADS.getCurrentThreadAllocatedBytes();
                    for (int round = 0; round < rounds; round++) {
                        context.barrier(deadline);
                    }
                    least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
                }
                allocated[rank] = least;
            });
        }
        assertThat(allocated).containsOnly(0);
    }

    @Test
    void shouldAllocateNothingToQueue() {
        try (InProcessJob job = InProcessJob.join(parent, 1, SmallNodes.config(Threading.INVOKER, 1))) {
            final Client client = job.node(0).client();
            final Context context = client.context();
            final Window window = client.window(1024);
            final CounterPair pair = client.counterPair(window, 512, 640, 64);
            client.publish("queued", pair);
            final Target to = context.attach(0, "queued", InProcessJob.deadline());
            final Pattern pattern = context.prepare(Rounds.ALTERNATE, () -> {
                context.expect(pair, 8);
                context.put(to, 0, window, 0, 8);
                context.waitUntil(pair, 0);
                context.put(Target.nowhere(), 0, window, 0, 8);
            });
            final long deadline = InProcessJob.deadline();
            assertAllocatesNothing("queue, await, operations to nowhere", () -> {
                final long round = context.queue(pattern);
                context.queue(pattern);
                context.await(pattern, round, deadline);
                context.put(Target.nowhere(), 0, window, 0, 8);
                context.await(pattern, round + 1, deadline);
            });
        }
    }

    @Test
    void shouldAllocateNothingOnTheEnginesThread() {
        try (InProcessJob job = InProcessJob.join(parent, 1, SmallNodes.config(Threading.DEDICATED, 1))) {
            final Client client = job.node(0).client();
            final Context context = client.context();
            final Window window = client.window(1024);
            final ReceptionCounter counter = client.receptionCounter(window, 512, 512);
            client.publish("in", counter);
            final Target to = context.attach(0, "in", InProcessJob.deadline());
            context.handler(3, (from, buffer, m, ml, p, pl) -> handled++);
            final long engine = threadId("segno-dma-0");
            long least = Long.MAX_VALUE;
            for (int attempt = 0; attempt < 4 && least != 0; attempt++) {
                final long before = THREADS.getThreadAllocatedBytes(engine);
                for (int i = 0; i < 1000; i++) {
                    counter.expect(100);
                    context.sendImmediate(0, 3, bytes, 0, 8);
                    context.put(to, 0, window, 0, 100);
                    context.await(counter, InProcessJob.deadline());
                }
                least = Math.min(least, THREADS.getThreadAllocatedBytes(engine) - before);
            }
            assertThat(least).isZero();
            assertThat(handled).isPositive();
        }
    }

    @Test
    void shouldAllocateNothingInItsHeartbeat() {
        try (InProcessJob job = InProcessJob.join(parent, 2, SmallNodes.config(Threading.INVOKER, 2))) {
            final long membership = threadId("segno-membership");
            long least = Long.MAX_VALUE;
            // The first heartbeats load and link their classes.
            for (int attempt = 0; attempt < 20 && least != 0; attempt++) {
                final long before = THREADS.getThreadAllocatedBytes(membership);
                final long beganNs = System.nanoTime();
                job.context(0).await(() -> System.nanoTime() - beganNs > HEARTBEATS_NS, InProcessJob.deadline());
                least = Math.min(least, THREADS.getThreadAllocatedBytes(membership) - before);
            }
            assertThat(least).isZero();
        }
    }

    private static long threadId(String name) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals(name))
                .findFirst()
                .orElseThrow()
                .getId();
    }

    /**
     * Asserts on the least of several attempts. The JVM itself allocates on a thread when it compiles or replaces the
     * running code; an operation that allocates does so in every attempt.
     */
    private static void assertAllocatesNothing(String what, Runnable operation) {
        for (int i = 0; i < WARM_UP; i++) {
            operation.run();
        }
        long least = Long.MAX_VALUE;
        for (int attempt = 0; attempt < 10 && least != 0; attempt++) {
            final long before = THREADS.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < OPERATIONS; i++) {
                operation.run();
            }
            least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least)
                .as("bytes allocated in " + OPERATIONS + " times " + what)
                .isZero();
    }
}
