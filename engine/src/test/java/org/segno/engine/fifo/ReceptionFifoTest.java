package org.segno.engine.fifo;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.geometry.Endpoint;

/** Lanes of a context, all together. */
class ReceptionFifoTest {
    private static final long SECONDS = 60;

    @TempDir
    Path directory;

    /** Handler that checks that each origin's messages carry its count, one after the other. */
    private static final class Counting implements RecordHandler {
        private final long[] next;
        private long count;

        Counting(int origins) {
            next = new long[origins];
        }

        @Override
        public boolean onMessage(
                long origin, int dispatchId, DirectBuffer buffer, int metadataOffset, int metadataLength, int payload) {
            final int source = Endpoint.task(origin);
            final long value = buffer.getLong(metadataOffset);
            final long last = payload == 8 ? value : buffer.getLong(metadataOffset + payload - 8);
            if (value != next[source] || last != value || dispatchId != source) {
                throw new AssertionError("origin " + source + ": expected " + next[source] + ", got " + value + " to "
                        + last + " for " + dispatchId);
            }
            next[source]++;
            count++;
            return true;
        }

        @Override
        public void onFifoEvent(int number) {
            throw new IllegalStateException("no FIFO has a threshold here: " + number);
        }

        @Override
        public void onEvent(int counter) {
            throw new AssertionError("event " + counter);
        }

        @Override
        public void onQuarantine(int origin) {
            throw new AssertionError("lane " + origin);
        }
    }

    /**
     * Uses more lanes than one poll visits: records on a cold one are found, and none is lost while it becomes warm.
     */
    @ParameterizedTest
    @CsvSource({"1, 1", "8, 2", "9, 3", "20, 4", "40, 5"})
    void shouldFindTheNewsOfEveryLane(int origins, long seed) {
        final Random chance = new Random(seed);
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().ranks(origins).dimensions())) {
            final NodeMemory own = nodes.own(0);
            final NodeMemory peer = nodes.asPeer(0);
            final ReceptionFifoProducer[] producers = new ReceptionFifoProducer[origins];
            for (int origin = 0; origin < origins; origin++) {
                producers[origin] = ReceptionFifoProducer.of(peer, 0, origin);
            }
            final long[] sent = new long[origins];
            final Counting counting = new Counting(origins);
            final ReceptionFifo fifo = ReceptionFifo.of(own, 0);
            for (int phase = 0; phase < 60; phase++) {
                final int busy = 1 + chance.nextInt(origins);
                for (int i = 0; i < 200; i++) {
                    final int origin = chance.nextInt(busy);
                    sent[origin] += send(producers[origin], origin, sent[origin], 8 + 8 * chance.nextInt(20)) ? 1 : 0;
                    fifo.poll(counting, 1 + chance.nextInt(4));
                }
                // The idle lanes become cold in this time.
                for (final ReceptionFifoProducer producer : producers) {
                    producer.flush();
                }
                for (int i = 0; i < 1500; i++) {
                    fifo.poll(counting, 16);
                }
                assertThat(counting.next).as("phase " + phase).isEqualTo(sent);
            }
        }
    }

    @Test
    void shouldReadTheOtherLanesWhenOneIsQuarantined() {
        try (MappedNodes nodes =
                MappedNodes.create(directory, NodeSize.small().ranks(3).dimensions())) {
            final NodeMemory own = nodes.own(0);
            final LaneReader reader = new LaneReader();
            final ReceptionFifo fifo = ReceptionFifo.of(own, 0);
            own.peers().putLong(own.laneOffset(0, 1), -1);
            final ReceptionFifoProducer good = ReceptionFifoProducer.of(nodes.asPeer(0), 0, 2);
            send(good, 2, 1, 8);

            assertThat(fifo.poll(reader, 10)).isEqualTo(1);
            send(good, 2, 2, 8);
            assertThat(fifo.poll(reader, 10)).isEqualTo(1);
            assertThat(reader.quarantines).isEqualTo(1);
            assertThat(reader.seen).hasSize(2);
        }
    }

    /**
     * Uses threads of real senders and a real receiver: every message arrives whole, once and in the order of its
     * sender.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    @SuppressWarnings("ThreadPriorityCheck") // Yields, because the other threads need the core.
    void shouldPassEveryRecordBetweenThreads(long seed) throws Exception {
        final int count = 100_000;
        final int origins = 2;
        final ExecutorService threads = Executors.newFixedThreadPool(origins);
        try (MappedNodes nodes = MappedNodes.create(directory, NodeSize.small().dimensions())) {
            final NodeMemory peer = nodes.asPeer(0);
            final Counting counting = new Counting(origins);
            final ReceptionFifo fifo = ReceptionFifo.of(nodes.own(0), 0);
            final Future<?>[] senders = new Future<?>[origins];
            for (int origin = 0; origin < origins; origin++) {
                final int self = origin;
                senders[origin] = threads.submit(() -> sendAll(peer, self, count, new Random(seed * 10 + self)));
            }
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            while (counting.count < (long) origins * count && System.nanoTime() < deadlineNs) {
                if (fifo.poll(counting, 64) == 0) {
                    Thread.yield();
                }
            }
            assertThat(counting.next).containsOnly(count);
            for (final Future<?> sender : senders) {
                sender.get(SECONDS, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // Yields, because the other threads need the core.
    private static void sendAll(NodeMemory peer, int origin, int count, Random chance) {
        final ReceptionFifoProducer producer = ReceptionFifoProducer.of(peer, 0, origin);
        for (long i = 0; i < count; i++) {
            final int length = chance.nextInt(20) == 0 ? 1016 : 8 + 8 * chance.nextInt(8);
            while (!send(producer, origin, i, length)) {
                if (Thread.currentThread().isInterrupted()) {
                    return;
                }
                Thread.yield();
            }
        }
        producer.flush();
    }

    /** Sends a message with {@code value} at its beginning and its end, for the dispatch id of its origin. */
    private static boolean send(ReceptionFifoProducer producer, int origin, long value, int length) {
        final long body = producer.claim(length);
        if (body < 0) {
            return false;
        }
        producer.memory().putLong(body, value);
        producer.memory().putLong(body + length - 8, value);
        producer.publish(origin, 0);
        if (value % 3 != 0) {
            producer.flush();
        }
        return true;
    }
}
