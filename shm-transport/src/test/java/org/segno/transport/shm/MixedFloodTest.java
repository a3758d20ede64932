package org.segno.transport.shm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Right;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.node.JobConfig;
import org.segno.node.Node;
import org.segno.node.NodeConfig.Threading;
import org.segno.operation.Message;
import org.segno.status.Deadline;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * Two processes that send, put and get concurrently, both ways, as fast as they can and through small lanes; every byte
 * is checked.
 */
class MixedFloodTest {
    private static final int SHORT = 4_000;
    private static final int LONG = 100_000;
    private static final int PATIENCE_S = 600;

    @RegisterExtension
    final ProcessPool pool = new ProcessPool();

    @ParameterizedTest
    @CsvSource({"INVOKER, INVOKER", "INVOKER, DEDICATED"})
    void shouldBringEveryByteOfEveryKindOnce(Threading first, Threading second) {
        flood(first, second, SHORT);
    }

    /** Stops each of the two a few times, at arbitrary moments. */
    @Test
    @Tag("long")
    void shouldLoseNothingWhenBothAreStoppedNowAndThen() throws InterruptedException {
        final List<TestProcess> processes = startBoth(Threading.INVOKER, Threading.INVOKER, SHORT);
        stopNowAndThen(processes, 6);
        processes.forEach(process -> requireAll(process, SHORT));
    }

    @Test
    @Tag("long")
    void shouldNameThePeerThatIsKilledAtAnyMomentAndEndEverything() throws InterruptedException {
        killAtAnyMoment(4);
    }

    @ParameterizedTest
    @CsvSource({"INVOKER, INVOKER", "INVOKER, DEDICATED"})
    @Tag("stress")
    @Timeout(PATIENCE_S)
    void shouldBringEveryByteOfEveryKindOnceForLong(Threading first, Threading second) {
        flood(first, second, LONG);
    }

    @Test
    @Tag("stress")
    @Timeout(PATIENCE_S)
    void shouldLoseNothingWhenBothAreStoppedByTheHundred() throws InterruptedException {
        final List<TestProcess> processes = startBoth(Threading.INVOKER, Threading.INVOKER, LONG);
        stopNowAndThen(processes, 200);
        processes.forEach(process -> requireAll(process, LONG));
    }

    @Test
    @Tag("stress")
    @Timeout(PATIENCE_S)
    void shouldNameThePeerThatIsKilledAtManyMomentsAndEndEverything() throws InterruptedException {
        killAtAnyMoment(100);
    }

    private void flood(Threading first, Threading second, int count) {
        startBoth(first, second, count).forEach(process -> requireAll(process, count));
    }

    private List<TestProcess> startBoth(Threading first, Threading second, int count) {
        final JobConfig job = pool.job("mixed", 2);
        return List.of(pool.start(Flood.class, job, first, 0, count), pool.start(Flood.class, job, second, 1, count));
    }

    private static void requireAll(TestProcess process, int count) {
        assertThat(process.expect("received", Deadline.in(PATIENCE_S, TimeUnit.SECONDS)))
                .isEqualTo(count + " sent, " + count + " put, " + count + " got");
        process.awaitEnd();
    }

    private static void stopNowAndThen(List<TestProcess> processes, int times) throws InterruptedException {
        processes.forEach(process -> process.expect("flooding"));
        final Random chance = new Random(5);
        for (int i = 0; i < times; i++) {
            final TestProcess process = processes.get(i % 2);
            process.stop();
            process.observe(TimeUnit.MICROSECONDS.toNanos(chance.nextInt(20_000)));
            process.resume();
            process.observe(TimeUnit.MICROSECONDS.toNanos(chance.nextInt(20_000)));
        }
    }

    private void killAtAnyMoment(int kills) throws InterruptedException {
        final long seed = 17;
        final Random chance = new Random(seed);
        for (int kill = 0; kill < kills; kill++) {
            final List<TestProcess> processes = startBoth(Threading.INVOKER, Threading.INVOKER, Integer.MAX_VALUE);
            final TestProcess survivor = processes.get(kill % 2);
            final TestProcess victim = processes.get(1 - kill % 2);
            processes.forEach(process -> process.expect("flooding"));
            victim.observe(TimeUnit.MICROSECONDS.toNanos(chance.nextInt(50_000)));

            victim.kill();

            assertThat(survivor.expect("survived"))
                    .as("kill %d of seed %d", kill, seed)
                    .startsWith("PeerFailedException " + (1 - kill % 2) + ": ");
            survivor.awaitEnd();
        }
    }

    /**
     * Sends, puts and gets the same number of each. A PUT goes into one of a few places. A message that is injected
     * after it notifies the peer, which then checks the place. The place is reused after a GET has read that the peer
     * has checked it.
     */
    static final class Flood implements Scenario {
        private static final int SEND = 5;
        private static final int PUT = 6;
        private static final int LONGEST_SEND = 600;
        private static final int LONGEST_PUT = 2000;
        private static final int LONGEST_GET = 3000;
        private static final int PLACES = 8;
        private static final int GETS = 4;

        private static final int SLOT_OFFSET = 0;
        private static final int SLOT_BYTES = 1 << 13;
        private static final int CHECKED = SLOT_OFFSET + SLOT_BYTES;
        private static final int PLACE = CHECKED + 128;
        private static final int PLACES_BYTES = PLACES * LONGEST_PUT;

        private final UnsafeBuffer number = new UnsafeBuffer(new byte[Long.BYTES]);
        private final Message message = new Message();
        private final SplittableRandom random = new SplittableRandom(7);
        private final int[] getFrom = new int[GETS];
        private final int[] getLength = new int[GETS];
        private final InjectionCounter[] getDone = new InjectionCounter[GETS];

        @SuppressWarnings("NullAway.Init") // by open
        private Context context;

        /**
         * Window that the peer reads and writes: the source of its GETs, the number of its PUTs that were checked, the
         * places for its PUTs.
         */
        @SuppressWarnings("NullAway.Init") // by open
        private Window open;

        /** Window with the sources of the messages and PUTs, and the results of the GETs. */
        @SuppressWarnings("NullAway.Init") // by open
        private Window own;

        @SuppressWarnings("NullAway.Init") // by open
        private Target there;

        @SuppressWarnings("NullAway.Init") // by open
        private InjectionCounter sentFrom;

        @SuppressWarnings("NullAway.Init") // by open
        private InjectionCounter checkedFetched;

        private int peer;
        private long count;
        private long sent;
        private long put;
        private long got;
        private long received;
        private long checked;
        private long peerChecked;

        @Override
        public void run(ScenarioRun run) {
            count = run.number(0);
            try (Node node = run.join(
                    run.config().withLaneBudgetBytes(2L * Protocol.LANE_BYTES).withCounters(16, 16))) {
                open(node);
                final long deadlineNs = Deadline.in(PATIENCE_S, TimeUnit.SECONDS);
                run.print("flooding");
                while ((sent < count || put < count || got < count) && context.failure(peer) == null) {
                    final long before = sent + put + got;
                    send();
                    put();
                    get();
                    if (Deadline.reached(deadlineNs)) {
                        throw new IllegalStateException("deadlock: " + sent + " sent, " + put + " put, " + got
                                + " got, " + received + " received, " + checked + " checked");
                    }
                    final int work = context.advance();
                    // The engine of a dedicated thread needs a core as well.
                    YieldingIdleStrategy.INSTANCE.idle(work + (int) (sent + put + got - before));
                }
                if (context.failure(peer) != null) {
                    run.print("survived " + resultOfFlood());
                    return;
                }
                context.await(() -> received == count && checked == count, ScenarioRun.deadline());
                context.barrier(ScenarioRun.deadline());
                run.print("received " + received + " sent, " + checked + " put, " + got + " got");
            }
        }

        /**
         * Checks that all injected operations end, and that every wait reports the dead peer; returns the outcome of a
         * barrier.
         */
        private String resultOfFlood() {
            context.fence(ScenarioRun.deadline());
            assertThat(context.isDrained()).isTrue();
            final List<InjectionCounter> all = new ArrayList<>(List.of(getDone));
            all.add(checkedFetched);
            all.add(sentFrom);
            for (final InjectionCounter counter : all) {
                final String outcome = outcome(() -> context.await(counter, ScenarioRun.deadline()));
                assertThat(outcome).matches("nothing|PeerFailedException " + peer + ": .*");
            }
            assertThat(outcome(() -> context.fence(Endpoint.of(peer, 0, 0, 0), ScenarioRun.deadline())))
                    .startsWith("PeerFailedException " + peer + ": ");
            return outcome(() -> context.barrier(ScenarioRun.deadline()));
        }

        private static String outcome(Runnable wait) {
            try {
                wait.run();
                return "nothing";
            } catch (SegnoException e) {
                return Outcome.of(e);
            }
        }

        private void open(Node node) {
            final Client client = node.client();
            context = client.context();
            peer = 1 - node.rank();
            open = client.window((long) PLACE + PLACES_BYTES);
            own = client.window((long) LONGEST_SEND + PLACES_BYTES + GETS * LONGEST_GET + Long.BYTES);
            for (int i = 0; i < SLOT_BYTES; i++) {
                open.buffer().putByte(SLOT_OFFSET + i, slot(node.rank(), i));
            }
            for (int i = 0; i < LONGEST_SEND; i++) {
                own.buffer().putByte(i, (byte) i);
            }
            for (int i = 0; i < GETS; i++) {
                getDone[i] = client.injectionCounter();
            }
            sentFrom = client.injectionCounter();
            checkedFetched = client.injectionCounter();
            context.handler(SEND, (source, buffer, m, ml, p, pl) -> {
                require(buffer.getLong(m), received, "message");
                require(pl, sendLength(received), "length of message " + received);
                for (int i = 0; i < pl; i++) {
                    require(buffer.getByte(p + i), (byte) i, "byte " + i + " of message " + received);
                }
                received++;
            });
            context.handler(PUT, (source, buffer, m, ml, p, pl) -> {
                require(buffer.getLong(p), checked, "notice of PUT");
                final int at = PLACE + place(checked);
                final int length = putLength(checked);
                for (int i = 0; i < length; i++) {
                    require(open.buffer().getByte(at + i), putByte(checked, i), "byte " + i + " of PUT " + checked);
                }
                checked++;
                open.buffer().putLongOrdered(CHECKED, checked);
            });
            client.publish(
                    "open",
                    client.receptionCounter(open, 0, open.length(), ReceptionCounter.ANYBODY, Right.PUT, Right.GET));
            there = context.attach(peer, "open", ScenarioRun.deadline());
            context.barrier(ScenarioRun.deadline());
        }

        private void send() {
            if (sent == count) {
                return;
            }
            number.putLong(0, sent);
            final int length = sendLength(sent);
            message.to(peer, SEND)
                    .metadata(number, 0, Long.BYTES)
                    .payload(own, 0, length)
                    .completes(sentFrom);
            sent += context.send(message) == Status.BACK_PRESSURED ? 0 : 1;
        }

        /** Injects a PUT and, behind it, the message that announces it: both or neither. */
        private void put() {
            if (put == count || put - peerChecked == PLACES) {
                return;
            }
            final int place = place(put);
            final int from = LONGEST_SEND + place;
            final int length = putLength(put);
            for (int i = 0; i < length; i++) {
                own.buffer().putByte(from + i, putByte(put, i));
            }
            number.putLong(0, put);
            final long status = context.batch(2, () -> {
                context.put(there, PLACE + place, own, from, length);
                context.sendImmediate(peer, PUT, number, 0, Long.BYTES);
            });
            put += status == Status.BACK_PRESSURED ? 0 : 1;
        }

        /** Checks the completed GETs, and injects others. */
        private void get() {
            if (checkedFetched.valueAcquire() <= 0) {
                final int at = LONGEST_SEND + PLACES_BYTES + GETS * LONGEST_GET;
                peerChecked = own.buffer().getLong(at);
                checkedFetched.expect(Long.BYTES);
                if (context.get(there, CHECKED, own, at, Long.BYTES, checkedFetched) == Status.BACK_PRESSURED) {
                    checkedFetched.reset();
                }
            }
            for (int i = 0; i < GETS; i++) {
                if (getDone[i].valueAcquire() <= 0) {
                    get(i);
                }
            }
        }

        private void get(int slot) {
            final int at = LONGEST_SEND + PLACES_BYTES + slot * LONGEST_GET;
            for (int i = 0; i < getLength[slot]; i++) {
                require(own.buffer().getByte(at + i), slot(peer, getFrom[slot] + i), "byte " + i + " of a GET");
            }
            got += getLength[slot] > 0 && got < count ? 1 : 0;
            getLength[slot] = 0;
            if (got == count) {
                return;
            }
            final int length = 1 + random.nextInt(LONGEST_GET);
            final int from = random.nextInt(SLOT_BYTES - length);
            own.buffer().setMemory(at, length, (byte) 0);
            getDone[slot].expect(length);
            if (context.get(there, SLOT_OFFSET + from, own, at, length, getDone[slot]) == Status.BACK_PRESSURED) {
                getDone[slot].reset();
            } else {
                getFrom[slot] = from;
                getLength[slot] = length;
            }
        }

        private static int sendLength(long number) {
            return (int) (number * 37 % (LONGEST_SEND + 1));
        }

        private static int putLength(long number) {
            return 1 + (int) (number * 101 % LONGEST_PUT);
        }

        private static int place(long number) {
            return (int) (number % PLACES) * LONGEST_PUT;
        }

        private static byte putByte(long number, int at) {
            return (byte) (number * 31 + at);
        }

        private static byte slot(int rank, int at) {
            return (byte) (at * 7 + (at >>> 8) + rank * 100 + 1);
        }

        private static void require(long found, long expected, String name) {
            if (found != expected) {
                throw new IllegalStateException(name + " is " + found + " instead of " + expected);
            }
        }
    }
}
