package org.segno.node;

import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.Loan;
import org.segno.context.ProgressThread;
import org.segno.engine.doorbell.DoorbellRecord;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.operation.Rmw;
import org.segno.operation.ThreadLevel;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.ClosedException;
import org.segno.status.Status;

/** Waits that park at doorbells, and everything that wakes them. A park that is not woken lasts for seconds. */
@Timeout(120)
class DoorbellTest {
    private static final int ID = 7;
    private static final long PARKED_MS = 20;
    private static final int EXCHANGES = Integer.getInteger("segno.exchanges", 2_000);
    private static final int MORE_EXCHANGES = 50_000;
    private static final int ROUNDS = 14_000;
    private static final int COUNTED_ROUNDS = 2_000;

    @TempDir
    Path parent;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[8]);

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    private static NodeConfig config(Threading mode) {
        return SmallNodes.config(mode, 2).withParking(WakefulIdle::make);
    }

    /** Waits until a thread has been parked at the node's doorbell for a while. */
    private static void awaitParked(Node node) throws InterruptedException {
        final DoorbellRecord doorbell = new DoorbellRecord(node.memory(), 0);
        long before;
        do {
            before = doorbell.parksAcquire();
            MILLISECONDS.sleep(PARKED_MS);
        } while (!DoorbellRecord.isParked(before) || doorbell.parksAcquire() != before);
    }

    /** Operation that ends a wait of a parked peer. */
    @FunctionalInterface
    private interface Waking {
        void run(Context context);
    }

    /** Runs {@code waiting} of rank 1 on a thread, {@code waking} once it is parked, and checks that it ends soon. */
    private void requireWakes(InProcessJob job, Runnable waiting, Waking waking) throws Exception {
        requireWakesAtOnce(job, waiting, peer -> {
            waking.run(peer);
            // One pass under INVOKER has to suffice: the sender may compute for long afterwards.
            peer.advance();
        });
    }

    private void requireWakesAtOnce(InProcessJob job, Runnable waiting, Waking waking) throws Exception {
        final AtomicLong endNs = new AtomicLong();
        final Future<?> wait = threads.submit(() -> {
            waiting.run();
            endNs.set(System.nanoTime());
        });
        awaitParked(job.node(1));
        final long beginNs = System.nanoTime();
        waking.run(job.context(0));
        wait.get(60, SECONDS);
        assertThat(endNs.get() - beginNs).as("time to wake").isLessThan(WakefulIdle.LOST_NS);
    }

    @ParameterizedTest
    @EnumSource
    void shouldWakeAWaitByEachOperationOfAPeer(Threading mode) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(mode))) {
            final Context context = job.context(1);
            final Client client = job.node(1).client();
            final Window window = client.window(64);
            final Window source = job.node(0).client().window(64);
            final ReceptionCounter counter = client.receptionCounter(
                    window, 0, 64, ReceptionCounter.ANYBODY, Right.PUT, Right.GET, Right.ATOMIC);
            final ReceptionCounter hit = client.receptionCounter(window, 0, 64);
            final AtomicInteger handled = new AtomicInteger();
            context.handler(ID, (origin, buffer, m, ml, p, pl) -> handled.incrementAndGet());
            context.notified(ID + 1, (origin, at, offset, length) -> handled.incrementAndGet());
            context.onHit(hit, id -> handled.incrementAndGet());
            client.publish("in", counter);
            client.publish("hit", hit);
            final long deadline = InProcessJob.deadline();
            final Target in = job.context(0).attach(1, "in", deadline);
            final Target event = job.context(0).attach(1, "hit", deadline);

            requireWakes(
                    job,
                    () -> context.await(() -> handled.get() == 1, InProcessJob.deadline()),
                    peer -> peer.sendImmediate(1, ID, bytes, 0, 8));
            counter.expect(8);
            requireWakes(
                    job, () -> context.await(counter, InProcessJob.deadline()), peer -> peer.put(in, 0, source, 0, 8));
            counter.expect(1);
            requireWakes(job, () -> context.await(counter, InProcessJob.deadline()), peer -> peer.count(in, -1));
            requireWakes(
                    job,
                    () -> context.await(() -> window.buffer().getLongVolatile(16) == 5, InProcessJob.deadline()),
                    peer -> peer.rmw(in, 16, new Rmw().fetchAdd(5)));
            hit.expect(8);
            requireWakes(
                    job,
                    () -> context.await(() -> handled.get() == 2, InProcessJob.deadline()),
                    peer -> peer.put(event, 0, source, 0, 8));
        }
    }

    /** A round that is executed at its start needs no pass, and none may follow for long. */
    @Test
    void shouldWakeAWaitByARoundWithoutAPass() throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(Threading.INVOKER))) {
            final Client client = job.node(1).client();
            final ReceptionCounter counter = client.receptionCounter(client.window(64), 0, 64);
            client.publish("in", counter);
            final Target in = job.context(0).attach(1, "in", InProcessJob.deadline());
            final Pattern pattern = job.context(0)
                    .prepare(Rounds.ORDERED_BY_CALLER, () -> job.context(0).count(in, -1));
            counter.expect(1);
            job.settle();
            requireWakesAtOnce(
                    job,
                    () -> job.context(1).await(counter, InProcessJob.deadline()),
                    peer -> assertThat(peer.run(pattern, InProcessJob.deadline()))
                            .isEqualTo(1));
        }
    }

    /** A loan leaves no room in its lane, so the event of the hit is owed. Its waiter finds nothing in the lane. */
    @Test
    void shouldWakeAWaitByAnOwedEvent() throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(Threading.INVOKER))) {
            final Context context = job.context(1);
            final Client client = job.node(1).client();
            final ReceptionCounter hit = client.receptionCounter(client.window(8), 0, 8);
            final AtomicInteger handled = new AtomicInteger();
            context.onHit(hit, id -> handled.incrementAndGet());
            client.publish("hit", hit);
            final Target in = job.context(0).attach(1, "hit", InProcessJob.deadline());
            final Loan loan = job.context(0).loan();
            assertThat(loan.claim(new Message().to(1, ID), 8)).isNotNegative();
            hit.expect(1);
            requireWakes(
                    job,
                    () -> context.await(() -> handled.get() == 1, InProcessJob.deadline()),
                    peer -> peer.count(in, -1));
            loan.abandon();
        }
    }

    /** A recorded round at a WAIT continues within the parked wait, and the other rank's wait ends by its forward. */
    @ParameterizedTest
    @EnumSource
    void shouldContinueARunAtItsWaitWithoutTheApplication(Threading mode) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(mode))) {
            final Client client = job.node(1).client();
            final Window window = client.window(64);
            final ReceptionCounter counter = client.receptionCounter(window, 0, 64);
            final Message message = new Message().to(0, ID).payload(window, 0, 8);
            client.publish("through", counter);
            final Target through = job.context(0).attach(1, "through", InProcessJob.deadline());
            final AtomicInteger handled = new AtomicInteger();
            job.context(0).handler(ID, (origin, buffer, m, ml, p, pl) -> handled.incrementAndGet());
            final Pattern pattern = job.context(1).record(1, Rounds.ORDERED_BY_CALLER, () -> {
                job.context(1).expect(counter, 1);
                job.context(1).waitUntil(counter, 0);
                job.context(1).send(message);
            });
            requireWakes(
                    job,
                    () -> job.context(1).await(pattern, 1, InProcessJob.deadline()),
                    peer -> peer.count(through, -1));
            job.context(0).await(() -> handled.get() == 1, InProcessJob.deadline());
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldWakeAWaitByPostedWorkAndByItsClose(Threading mode) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(mode))) {
            final AtomicBoolean ran = new AtomicBoolean();
            requireWakes(
                    job,
                    () -> job.context(1).await(ran::get, InProcessJob.deadline()),
                    peer -> job.context(1).post(() -> {
                        ran.set(true);
                        return 0;
                    }));
            final Future<?> wait = threads.submit(() -> job.context(1).await(() -> false, InProcessJob.deadline()));
            awaitParked(job.node(1));
            final long beginNs = System.nanoTime();

            job.node(1).close();

            assertThatThrownBy(() -> wait.get(60, SECONDS))
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(ClosedException.class);
            assertThat(System.nanoTime() - beginNs).isLessThan(WakefulIdle.LOST_NS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldWakeAWaitWhenItsPeerLeaves(Threading mode) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(mode))) {
            final Future<?> wait = threads.submit(() -> job.context(1).await(() -> false, InProcessJob.deadline()));
            awaitParked(job.node(1));
            final long beginNs = System.nanoTime();

            job.node(0).close();

            assertThatThrownBy(() -> wait.get(60, SECONDS)).hasMessageContaining("every possible sender has left");
            assertThat(System.nanoTime() - beginNs).isLessThan(WakefulIdle.LOST_NS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldWakeAProgressThread(Threading mode) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(mode).withThreadLevel(ThreadLevel.MULTIPLE))) {
            final AtomicInteger handled = new AtomicInteger();
            final Context receiver = job.context(1);
            locked(receiver, () -> receiver.handler(ID, (o, b, m, ml, p, pl) -> handled.incrementAndGet()));
            final long closingNs;
            try (ProgressThread progress = receiver.progress()) {
                for (int round = 1; round <= 5; round++) {
                    awaitParked(job.node(1));
                    final long beginNs = System.nanoTime();
                    locked(job.context(0), () -> {
                        job.context(0).sendImmediate(1, ID, bytes, 0, 8);
                        job.context(0).advance();
                    });
                    awaitCount(handled, round, beginNs);
                }
                assertThat(progress.isRunning()).isTrue();
                closingNs = System.nanoTime();
            }
            assertThat(System.nanoTime() - closingNs).isLessThan(WakefulIdle.LOST_NS);
        }
    }

    /** The application injects under the lock and relies on the progress thread, which runs the engine. */
    @Test
    void shouldCarryOutWhatAnotherThreadInjectsWhileTheProgressThreadIsParked() throws Exception {
        try (InProcessJob job =
                InProcessJob.join(parent, 2, config(Threading.INVOKER).withThreadLevel(ThreadLevel.MULTIPLE))) {
            final AtomicInteger handled = new AtomicInteger();
            final Context receiver = job.context(1);
            final Context sender = job.context(0);
            locked(receiver, () -> receiver.handler(ID, (o, b, m, ml, p, pl) -> handled.incrementAndGet()));
            try (ProgressThread receiving = receiver.progress();
                    ProgressThread sending = sender.progress()) {
                for (int round = 1; round <= 5; round++) {
                    awaitParked(job.node(0));
                    final long beginNs = System.nanoTime();
                    locked(sender, () -> sender.sendImmediate(1, ID, bytes, 0, 8));
                    awaitCount(handled, round, beginNs);
                }
                assertThat(receiving.isRunning() && sending.isRunning()).isTrue();
            }
        }
    }

    /** A wait of the application takes the doorbell over from the progress thread, and gives it back. */
    @ParameterizedTest
    @EnumSource
    void shouldWakeAWaitOfTheApplicationBesideAProgressThread(Threading mode) throws Exception {
        try (InProcessJob job = InProcessJob.join(parent, 2, config(mode).withThreadLevel(ThreadLevel.MULTIPLE))) {
            final AtomicInteger handled = new AtomicInteger();
            final Context receiver = job.context(1);
            locked(receiver, () -> receiver.handler(ID, (o, b, m, ml, p, pl) -> handled.incrementAndGet()));
            try (ProgressThread progress = receiver.progress()) {
                for (int round = 1; round <= 10; round += 2) {
                    final int first = round;
                    awaitParked(job.node(1));
                    final Future<?> wait = threads.submit(() -> locked(
                            receiver, () -> receiver.await(() -> handled.get() == first, InProcessJob.deadline())));
                    MILLISECONDS.sleep(2 * PARKED_MS);
                    send(job.context(0));
                    wait.get(60, SECONDS);
                    final long beginNs = System.nanoTime();
                    send(job.context(0));
                    awaitCount(handled, round + 1, beginNs);
                }
                assertThat(progress.isRunning()).isTrue();
            }
        }
    }

    private void send(Context context) {
        locked(context, () -> {
            context.sendImmediate(1, ID, bytes, 0, 8);
            context.advance();
        });
    }

    private static void locked(Context context, Runnable body) {
        context.lock();
        try {
            body.run();
        } finally {
            context.unlock();
        }
    }

    private static void awaitCount(AtomicInteger count, int expected, long beginNs) throws InterruptedException {
        while (count.get() < expected) {
            assertThat(System.nanoTime() - beginNs).isLessThan(WakefulIdle.LOST_NS);
            MILLISECONDS.sleep(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldLoseNoRingInThousandsOfExchanges(Threading mode) throws Exception {
        exchange(mode, EXCHANGES);
    }

    @Tag("stress")
    @Timeout(600)
    @ParameterizedTest
    @EnumSource
    void shouldLoseNoRingInMoreExchanges(Threading mode) throws Exception {
        exchange(mode, MORE_EXCHANGES);
    }

    /**
     * Exchanges messages at random intervals around the moment of the park. Both ranks park within a few pauses; a lost
     * ring is a round that takes seconds.
     */
    private void exchange(Threading mode, int exchanges) throws Exception {
        final NodeConfig config = SmallNodes.config(mode, 2).withParking(WakefulIdle::varied);
        final int[] received = new int[2 * 64];
        final long[] longestNs = new long[2];
        try (InProcessJob job = InProcessJob.join(parent, 2, config)) {
            job.onThreads(rank -> {
                final Context context = job.context(rank);
                final SplittableRandom chance = new SplittableRandom(rank);
                final UnsafeBuffer own = new UnsafeBuffer(new byte[8]);
                context.handler(ID, (origin, buffer, m, ml, p, pl) -> received[64 * rank]++);
                context.barrier(InProcessJob.deadline());
                for (int round = 1; round <= exchanges; round++) {
                    final int expected = round;
                    if (rank == 0) {
                        spin(chance.nextInt(round % 100 == 0 ? 200_000 : 8_000));
                        sendAndPass(context, 1 - rank, own);
                    }
                    final long beginNs = System.nanoTime();
                    context.await(() -> received[64 * rank] >= expected, InProcessJob.deadline());
                    longestNs[rank] = Math.max(longestNs[rank], System.nanoTime() - beginNs);
                    if (rank == 1) {
                        spin(chance.nextInt(8_000));
                        sendAndPass(context, 1 - rank, own);
                    }
                }
            });
            System.out.println(mode + ": " + exchanges + " exchanges, parks "
                    + job.node(0).metrics().parks() + " and "
                    + job.node(1).metrics().parks() + ", rings "
                    + job.node(0).metrics().rings() + " and "
                    + job.node(1).metrics().rings() + ", longest wait "
                    + Math.max(longestNs[0], longestNs[1]) / 1000 + " us");
            assertThat(Math.max(longestNs[0], longestNs[1])).isLessThan(WakefulIdle.LOST_NS);
            assertThat(job.node(0).metrics().failedRings()
                            + job.node(1).metrics().failedRings())
                    .isZero();
            assertThat(job.node(1).metrics().parks()).isPositive();
        }
    }

    /** Sends, and makes the one pass that has to suffice. */
    private static void sendAndPass(Context context, int to, UnsafeBuffer own) {
        while (context.sendImmediate(to, ID, own, 0, 8) == Status.BACK_PRESSURED) {
            context.advance();
        }
        context.advance();
    }

    private static void spin(long ns) {
        final long beginNs = System.nanoTime();
        while (System.nanoTime() - beginNs < ns) {
            Thread.onSpinWait();
        }
    }

    @Test
    void shouldAllocateNothingToParkAndToRing() throws Exception {
        final ThreadMXBean beans = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        final List<Long> allocated = new ArrayList<>();
        final int[] received = new int[2 * 64];
        final NodeConfig config = SmallNodes.config(Threading.INVOKER, 2).withParking(WakefulIdle::varied);
        try (InProcessJob job = InProcessJob.join(parent, 2, config)) {
            job.onThreads(rank -> {
                final Context context = job.context(rank);
                final UnsafeBuffer own = new UnsafeBuffer(new byte[8]);
                context.handler(ID, (origin, buffer, m, ml, p, pl) -> received[64 * rank]++);
                context.barrier(InProcessJob.deadline());
                final long deadline = InProcessJob.deadline();
                final int[] expected = {0};
                final BooleanSupplier arrived = () -> received[64 * rank] >= expected[0];
                // The least of several counts: what the JVM allocates once, on the way, is not of the rounds.
                long least = Long.MAX_VALUE;
                long before = beans.getCurrentThreadAllocatedBytes();
                for (int round = 1; round <= ROUNDS; round++) {
                    if (rank == 0) {
                        sendAndPass(context, 1, own);
                    }
                    expected[0] = round;
                    context.await(arrived, deadline);
                    if (rank == 1) {
                        sendAndPass(context, 0, own);
                    }
                    if (round % COUNTED_ROUNDS == 0) {
                        final long after = beans.getCurrentThreadAllocatedBytes();
                        least = Math.min(least, after - before);
                        before = after;
                    }
                }
                synchronized (allocated) {
                    allocated.add(least);
                }
            });
            assertThat(job.node(1).metrics().parks()).isPositive();
        }
        assertThat(allocated).containsExactly(0L, 0L);
    }

    /** Nodes that spin have no doorbells, so that their peers do not even look. */
    @Test
    void shouldHaveNoDoorbellUnlessWaitsPark() throws Exception {
        final List<NodeConfig> configs = List.of(
                SmallNodes.config(Threading.INVOKER, 2).withIdling(Idling.BUSY_SPIN),
                SmallNodes.config(Threading.INVOKER, 2).withIdling(Idling.PARK));
        try (InProcessJob job = InProcessJob.join(parent, configs)) {
            final Future<?> wait = threads.submit(() -> job.context(0).await(() -> false, InProcessJob.deadline()));
            MILLISECONDS.sleep(50);
            assertThat(job.node(0).metrics().parks()).isZero();
            assertThat(wait.isDone()).isFalse();
            final AtomicInteger handled = new AtomicInteger();
            job.context(1).handler(ID, (o, b, m, ml, p, pl) -> handled.incrementAndGet());
            final Future<?> parked =
                    threads.submit(() -> job.context(1).await(() -> handled.get() == 1, InProcessJob.deadline()));
            awaitParked(job.node(1));
            job.node(0).close();
            assertThatThrownBy(() -> parked.get(60, SECONDS)).hasMessageContaining("every possible sender has left");
        }
    }
}
