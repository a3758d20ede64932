package org.segno.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.fifo.FifoMetadata;
import org.segno.engine.memory.PeerStates;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.InProcessJob;
import org.segno.node.NodeConfig;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.pattern.Pattern;
import org.segno.pattern.Rounds;
import org.segno.status.Deadline;
import org.segno.status.DeadlineException;
import org.segno.status.PeerFailedException;
import org.segno.status.Status;

/** WAIT: descriptors that the engine holds until a counter is hit, and those that it carries out meanwhile. */
final class WaitTest {
    private static final NodeConfig CONFIG = NodeConfig.defaults()
            .withThreading(Threading.INVOKER)
            .withFifoSlots(64)
            .withPatterns(256)
            .withWindowBytes(1 << 16);

    @TempDir
    private Path parent = Path.of("");

    private final List<InProcessJob> jobs = new ArrayList<>();

    @AfterEach
    void close() {
        jobs.forEach(InProcessJob::close);
    }

    private InProcessJob join(int size, NodeConfig config) {
        final InProcessJob job = InProcessJob.join(parent, size, config);
        jobs.add(job);
        return job;
    }

    @Test
    void shouldHoldAnOrdinaryFifoUntilTheCounterIsAtOrBelowTheValue() {
        final InProcessJob job = join(1, CONFIG);
        final Context context = job.context(0);
        final Window window = job.node(0).client().window(64);
        final ReceptionCounter gate = job.node(0).client().receptionCounter(window, 0, 0);
        gate.expect(5);

        assertThat(context.waitUntil(gate, 2)).isNotNegative();
        window.buffer().putLong(0, 77);
        context.copy(window, 0, window, 32, 8);
        job.settle();
        assertThat(window.buffer().getLong(32)).as("held").isZero();

        final Target target = attach(job, gate, "gate");
        // The FIFO itself is held; another one is not.
        final InjectionFifo other = context.injectionFifo();
        other.count(target, -2);
        job.settle();
        assertThat(window.buffer().getLong(32)).as("at three").isZero();
        other.count(target, -7);
        job.settle();

        assertThat(gate.valueAcquire()).isEqualTo(-4);
        assertThat(window.buffer().getLong(32)).as("at or below, never equal").isEqualTo(77);
        assertThat(context.isDrained()).isTrue();
    }

    private static Target attach(InProcessJob job, ReceptionCounter counter, String name) {
        job.node(0).client().publish(name, counter);
        return job.context(0).attach(0, name, InProcessJob.deadline());
    }

    @Test
    void shouldWaitForAnInjectionCounterToo() {
        final InProcessJob job = join(1, CONFIG);
        final Context context = job.context(0);
        final Window window = job.node(0).client().window(64);
        final ReceptionCounter inbox = job.node(0).client().receptionCounter(window, 32, 8);
        final InjectionCounter read = job.node(0).client().injectionCounter();
        final Target target = attach(job, inbox, "inbox");
        read.expect(8);
        inbox.expect(8);
        final InjectionFifo other = context.injectionFifo();

        context.waitUntil(read, 0);
        context.copy(window, 32, window, 48, 8);
        job.settle();
        window.buffer().putLong(0, 5);
        other.put(target, 0, window, 0, 8, read);
        job.settle();

        assertThat(window.buffer().getLong(48)).isEqualTo(5);
    }

    @Test
    void shouldLetOtherRunsPassOneThatIsHeldAtAWait() {
        final InProcessJob job = join(1, CONFIG);
        final Context context = job.context(0);
        final Client client = job.node(0).client();
        final Window window = client.window(64);
        final ReceptionCounter gate = client.receptionCounter(window, 0, 0);
        final Target target = attach(job, gate, "gate");
        final Pattern waiting = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            context.copy(window, 0, window, 16, 8);
            context.waitUntil(gate, 0);
            context.copy(window, 0, window, 24, 8);
        });
        final Pattern opening = context.record(2, Rounds.ORDERED_BY_CALLER, () -> context.count(target, -1));
        job.settle();
        assertThat(waiting.isComplete()).isTrue();
        gate.expect(2);
        job.settle();
        assertThat(gate.valueAcquire()).isEqualTo(1);

        window.buffer().putLong(0, 9);
        assertThat(context.replay(waiting)).isEqualTo(2);
        job.settle();
        assertThat(window.buffer().getLong(16)).as("before the wait").isEqualTo(9);
        assertThat(window.buffer().getLong(24)).as("behind the wait").isZero();
        assertThat(context.isDrained()).isFalse();
        assertThat(context.replay(waiting)).as("one round at a time").isEqualTo(Status.BUSY);

        assertThat(context.replay(opening)).isEqualTo(2);
        job.settle();

        assertThat(window.buffer().getLong(24)).isEqualTo(9);
        context.await(waiting, 2, InProcessJob.deadline());
        assertThat(context.isDrained()).isTrue();
    }

    @Test
    void shouldSetAsideSixtyFourRunsAndRefuseTheNextThatWaits() {
        final InProcessJob job = join(1, CONFIG);
        final Context context = job.context(0);
        final Client client = job.node(0).client();
        final Window window = client.window(1024);
        final ReceptionCounter gate = client.receptionCounter(window, 0, 0);
        final Target target = attach(job, gate, "gate");
        final List<Pattern> patterns = new ArrayList<>();
        for (int id = 0; id <= FifoMetadata.MAX_HELD_RUNS; id++) {
            final long to = 8 + id * 8L;
            patterns.add(context.record(id, Rounds.ORDERED_BY_CALLER, () -> {
                context.waitUntil(gate, 0);
                context.copy(window, 0, window, to, 8);
            }));
            job.settle();
        }
        final Pattern opening = context.record(1000, Rounds.ORDERED_BY_CALLER, () -> context.count(target, -1));
        job.settle();
        gate.expect(2);
        job.settle();
        window.buffer().putLong(0, 1);
        for (int id = 0; id < FifoMetadata.MAX_HELD_RUNS; id++) {
            assertThat(context.replay(patterns.get(id))).isEqualTo(2);
        }
        final Pattern last = patterns.get(FifoMetadata.MAX_HELD_RUNS);

        assertThat(context.replay(last)).isEqualTo(Status.BACK_PRESSURED);
        job.settle();
        assertThat(context.replay(last)).isEqualTo(Status.BACK_PRESSURED);
        assertThat(context.replay(opening)).as("one that does not wait").isPositive();
        job.settle();

        for (int id = 0; id < FifoMetadata.MAX_HELD_RUNS; id++) {
            context.await(patterns.get(id), 2, InProcessJob.deadline());
            assertThat(window.buffer().getLong(8 + id * 8)).isEqualTo(1);
        }
        assertThat(context.replay(last)).isEqualTo(2);
        context.await(last, 2, InProcessJob.deadline());
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldNotLockUpWhenTwoRanksReplayInOppositeOrders(long seed) throws Exception {
        final int count = 24;
        final int rounds = 40;
        final InProcessJob job = join(2, CONFIG.withFifoSlots(256));
        job.onThreads(rank -> {
            final Context context = job.context(rank);
            final Client client = job.node(rank).client();
            final long deadlineNs = InProcessJob.deadline();
            final CounterPair[] came = new CounterPair[count];
            final Window window = client.window(64);
            final Target[] peer = new Target[count];
            for (int id = 0; id < count; id++) {
                came[id] = client.counterPair(window, 0, 8, 0);
                client.publish("came" + id, came[id]);
            }
            for (int id = 0; id < count; id++) {
                peer[id] = context.attach(1 - rank, "came" + id, deadlineNs);
            }
            final Pattern[] patterns = new Pattern[count];
            for (final int id : order(rank, count, seed)) {
                // Rank 0 only replies: it waits for the message of its peer first.
                patterns[id] = context.record(id, Rounds.ALTERNATE, () -> {
                    context.expect(came[id], 1);
                    if (rank == 0) {
                        context.waitUntil(came[id], 0);
                        context.count(peer[id], -1);
                    } else {
                        context.count(peer[id], -1);
                        context.waitUntil(came[id], 0);
                    }
                });
            }
            for (int round = 2; round <= rounds; round++) {
                for (final int id : order(rank, count, seed + round)) {
                    context.await(patterns[id], round - 1, deadlineNs);
                    assertThat(context.replay(patterns[id])).isEqualTo(round);
                }
            }
            for (final Pattern pattern : patterns) {
                context.await(pattern, rounds, deadlineNs);
            }
            context.barrier(deadlineNs);
        });
    }

    /** Returns all ids, for one rank in the reverse order of the other's. */
    private static int[] order(int rank, int count, long seed) {
        final SplittableRandom random = new SplittableRandom(seed);
        final int[] ids = new int[count];
        for (int i = 0; i < count; i++) {
            ids[i] = i;
        }
        for (int i = count - 1; i > 0; i--) {
            final int other = random.nextInt(i + 1);
            final int id = ids[i];
            ids[i] = ids[other];
            ids[other] = id;
        }
        for (int i = 0; rank == 1 && i < count / 2; i++) {
            final int id = ids[i];
            ids[i] = ids[count - 1 - i];
            ids[count - 1 - i] = id;
        }
        return ids;
    }

    @Test
    void shouldKeepAOneWayFlowBehindItsReceiversByCredits() throws Exception {
        final int receivers = 2;
        final int rounds = 400;
        final InProcessJob job = join(1 + receivers, CONFIG);
        job.onThreads(rank -> {
            if (rank == 0) {
                sendWithCredits(job, receivers, rounds);
            } else {
                receiveWithCredits(job, rank, rounds);
            }
            job.context(rank).barrier(InProcessJob.deadline());
        });
    }

    private static void sendWithCredits(InProcessJob job, int receivers, int rounds) {
        final Context context = job.context(0);
        final Client client = job.node(0).client();
        final long deadlineNs = InProcessJob.deadline();
        final Window window = client.window(64);
        final CounterPair credits = client.counterPair(window, 0, 0, 0);
        client.publish("credits", credits);
        final Target[] slots = new Target[receivers];
        for (int i = 0; i < receivers; i++) {
            slots[i] = context.attach(i + 1, "slots", deadlineNs);
        }
        window.buffer().putLong(0, 1);
        final Pattern flow = context.record(1, Rounds.ALTERNATE, () -> {
            context.expect(credits, receivers);
            context.waitUntil(credits, 0);
            for (final Target slot : slots) {
                context.put(slot, 0, window, 0, 8);
            }
        });
        for (long round = 2; round <= rounds; round++) {
            context.await(flow, round - 1, deadlineNs);
            window.buffer().putLong(0, round);
            assertThat(context.replay(flow)).isEqualTo(round);
        }
        context.await(flow, rounds, deadlineNs);
    }

    private static void receiveWithCredits(InProcessJob job, int rank, int rounds) {
        final Context context = job.context(rank);
        final Client client = job.node(rank).client();
        final long deadlineNs = InProcessJob.deadline();
        final Window window = client.window(64);
        final CounterPair slots = client.counterPair(window, 0, 8, 8, 0);
        client.publish("slots", slots);
        final Target credits = context.attach(0, "credits", deadlineNs);
        final Pattern opening = context.record(1, Rounds.ALTERNATE, () -> {
            context.expect(slots, 8);
            context.count(credits, -1);
        });
        final SplittableRandom random = new SplittableRandom(rank);
        for (long round = 1; round <= rounds; round++) {
            if (round > 1) {
                assertThat(context.replay(opening)).isEqualTo(round);
            }
            context.await(opening, round, deadlineNs);
            // The reader is slow: without credits the sender would be rounds ahead by now.
            for (int i = random.nextInt(50); i > 0; i--) {
                context.advance();
            }
            assertThat(window.buffer().getLong((int) slots.offset(round))).isEqualTo(round);
        }
    }

    @Test
    void shouldRefuseToHoldForASingleCounterWhereRoundsAlternate() {
        final InProcessJob job = join(1, CONFIG);
        final Context context = job.context(0);
        final Window window = job.node(0).client().window(64);
        final ReceptionCounter counter = job.node(0).client().receptionCounter(window, 0, 0);

        assertThatThrownBy(() -> context.record(1, Rounds.ALTERNATE, () -> context.waitUntil(counter, 0)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("WAIT", "CounterPair");
        assertThatThrownBy(() -> context.waitUntil(job.node(0).client().counterPair(window, 0, 8, 8), 0))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("pair.counter(g)");
    }

    @Test
    void shouldReportTheReasonForAHeldRoundWhenItsDeadlinePasses() {
        final InProcessJob job = join(1, CONFIG);
        final Context context = job.context(0);
        final Window window = job.node(0).client().window(64);
        final ReceptionCounter gate = job.node(0).client().receptionCounter(window, 0, 0, ReceptionCounter.ANYBODY);
        gate.expect(3);
        final Pattern held = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            context.waitUntil(gate, 0);
            context.copy(window, 0, window, 8, 8);
        });

        assertThatThrownBy(() -> context.await(held, 1, System.nanoTime() + 2_000_000))
                .isInstanceOf(DeadlineException.class)
                .hasMessageContaining("not executed yet", gate.toString(), "misses 3");

        // Ends the round: a node that is closed waits for the end of its descriptors.
        context.injectionFifo().count(attach(job, gate, "gate"), -3);
        job.settle();
        assertThat(held.executedAcquire()).isEqualTo(1);
    }

    @Test
    void shouldEndARoundThatWaitsForARankThatHasDied() {
        final InProcessJob job = join(2, CONFIG);
        final Context context = job.context(0);
        final Window window = job.node(0).client().window(64);
        final ReceptionCounter gate = job.node(0).client().receptionCounter(window, 0, 0, 1);
        gate.expect(1);
        window.buffer().putLong(0, 3);
        final Pattern held = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            context.waitUntil(gate, 0);
            context.copy(window, 0, window, 8, 8);
        });
        job.settle();

        new PeerStates(context.node()).change(1, PeerStates.DEAD);

        assertThatThrownBy(() -> context.await(held, 1, InProcessJob.deadline()))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("rank 1 has died");
        final long deadlineNs = InProcessJob.deadline();
        while (!context.isDrained() && !Deadline.reached(deadlineNs)) {
            context.advance();
        }
        assertThat(context.isDrained()).as("the engine has given it up").isTrue();
        assertThat(window.buffer().getLong(8)).as("the dependent copy").isZero();
    }

    @Test
    void shouldRereadMetadataFromItsWindowInEveryRound() {
        final InProcessJob job = join(1, CONFIG);
        final Context context = job.context(0);
        final Window window = job.node(0).client().window(128);
        final List<String> received = new ArrayList<>();
        context.handler(
                7,
                (origin, buffer, metadataOffset, metadataLength, payloadOffset, payloadLength) -> received.add(
                        metadataLength + ":" + buffer.getLong(metadataOffset) + ":" + buffer.getInt(payloadOffset)));
        final Message byWindow = new Message().to(0, 7).metadata(window, 64, 8).payload(window, 0, 4);
        final UnsafeBuffer value = new UnsafeBuffer(ByteBuffer.allocateDirect(8));
        value.putLong(0, 100);
        final Message byValue = new Message().to(0, 7).metadata(value, 0, 8).payload(window, 0, 4);
        window.buffer().putLong(64, 1);
        window.buffer().putInt(0, 11);
        final Pattern pattern = context.record(1, Rounds.ORDERED_BY_CALLER, () -> {
            context.send(byWindow);
            context.send(byValue);
        });
        for (long round = 1; round <= 3; round++) {
            if (round > 1) {
                context.replay(pattern);
            }
            context.await(pattern, round, InProcessJob.deadline());
            job.settle();
            window.buffer().putLong(64, round + 1);
            value.putLong(0, 200);
        }

        assertThat(received).containsExactly("8:1:11", "8:100:11", "8:2:11", "8:100:11", "8:3:11", "8:100:11");
    }

    @Test
    void shouldRefuseMetadataThatLieOutsideTheirWindow() {
        final InProcessJob job = join(1, CONFIG);
        final Window window = job.node(0).client().window(128);

        assertThatThrownBy(() -> new Message().to(0, 7).metadata(window, 121, 8))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("metadata range");
        assertThatThrownBy(() -> new Message().to(0, 7).metadata(window, 0, 129))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 to 128");
    }
}
