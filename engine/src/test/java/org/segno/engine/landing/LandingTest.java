package org.segno.engine.landing;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.engine.counter.OwedEvents;
import org.segno.engine.fifo.ReceptionFifo;
import org.segno.engine.fifo.RecordHandler;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.Metric;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.reuse.CounterGroup;
import org.segno.engine.reuse.WindowArena;
import org.segno.memory.CounterPair;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;
import org.segno.status.Refusal;

/** Landing by ranks 1 and 2 in counters of rank 0. */
class LandingTest {
    private static final byte CANARY = 0x77;
    private static final long SECONDS = 60;
    private static final int LIMIT = 256;

    /** Offset of the counter's range in its window, and of the window in the arena, behind another one. */
    private static final int RANGE_AT = 512;

    @TempDir
    Path directory;

    private MappedNodes nodes;
    private NodeMemory own;
    private CounterGroup group;
    private Window before;
    private Window window;
    private Window after;
    private AtomicBuffer source;
    private final List<Integer> events = new ArrayList<>();
    private long owedBefore;

    @BeforeEach
    void make() {
        nodes = MappedNodes.create(directory, NodeSize.small().ranks(3).dimensions());
        own = nodes.own(0);
        group = new CounterGroup(own);
        final WindowArena arena = new WindowArena(own);
        before = arena.open(1024);
        window = arena.open(1024);
        after = arena.open(1024);
        for (final Window canary : List.of(before, window, after)) {
            canary.buffer().setMemory(0, (int) canary.length(), CANARY);
        }
        source = nodes.own(1).arena().buffer(0, 2048);
        for (int i = 0; i < source.capacity(); i++) {
            source.putByte(i, (byte) (i % 101));
        }
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    @Test
    void shouldCountTheWholeRunDownByOneAddAfterItsPayload() {
        final ReceptionCounter counter = group.reception(window, RANGE_AT, LIMIT, ReceptionCounter.ANYBODY);
        final Landing landing = landing(1);
        counter.expect(100);

        assertThat(landing.open(counter.id(), counter.incarnation())).isEqualTo(Landing.LANDED);
        landing.landShort(nodes.own(1).arena(), 3, 0, 60);
        landing.land(nodes.own(1).arena(), 63, 60, 40);
        assertThat(counter.valueAcquire()).as("before the run ends").isEqualTo(100);
        assertThat(window.buffer().getByte(RANGE_AT + 99)).isEqualTo((byte) ((3 + 99) % 101));
        landing.close(100);
        assertThat(counter.valueAcquire()).isZero();
        landing.close(0);
        assertThat(counter.valueAcquire()).isZero();
    }

    @Test
    void shouldBeNegativeWhenDataComesBeforeItsExpectation() {
        final ReceptionCounter counter = group.reception(window, RANGE_AT, LIMIT, ReceptionCounter.ANYBODY);
        land(landing(1), counter, 0, 96);
        assertThat(counter.valueAcquire()).isEqualTo(-96);

        counter.expect(96);
        assertThat(counter.valueAcquire()).isZero();
    }

    @Test
    void shouldLandInsideBaseAndLimitAndNowhereElse() {
        final ReceptionCounter counter = group.reception(window, RANGE_AT, LIMIT, ReceptionCounter.ANYBODY);
        final Landing landing = landing(1);
        assertThat(landing.open(counter.id(), counter.incarnation())).isEqualTo(Landing.LANDED);
        final long[] edges = {Long.MIN_VALUE, -1, 0, 1, LIMIT - 1, LIMIT, LIMIT + 1, Long.MAX_VALUE - 1, Long.MAX_VALUE
        };
        int landed = 0;
        for (final long offset : edges) {
            for (final long length : new long[] {0, 1, LIMIT - 1, LIMIT, LIMIT + 1, 2048}) {
                final boolean inside = offset >= 0 && offset <= LIMIT && length <= LIMIT - offset;
                assertThat(landing.admits(offset, length))
                        .as(offset + " + " + length)
                        .isEqualTo(inside);
                if (inside) {
                    landing.land(nodes.own(1).arena(), 0, offset, length);
                    landed += (int) length;
                }
            }
        }
        landing.close(landed);
        assertThat(counter.valueAcquire()).isEqualTo(-landed);
        assertCanariesAround(RANGE_AT, LIMIT);
    }

    @Test
    void shouldLandInTheLineOfACountersValueBesideItsWords() {
        final CounterPair pair = group.pairInLines(NodeLayout.COUNTER_MEMORY_LENGTH, new int[] {1});
        final ReceptionCounter odd = pair.counter(1);
        odd.expect(NodeLayout.COUNTER_MEMORY_LENGTH + 7L);
        new OwedEvents(own).add(odd.id(), 0);
        final Landing landing = landing(1);

        assertThat(landing.open(odd.id(), odd.incarnation())).isEqualTo(Landing.LANDED);
        assertThat(landing.admits(0, NodeLayout.COUNTER_MEMORY_LENGTH)).isTrue();
        assertThat(landing.admits(1, NodeLayout.COUNTER_MEMORY_LENGTH)).isFalse();
        assertThat(landing.admits(-1, 1)).isFalse();
        landing.land(nodes.own(1).arena(), 3, 0, NodeLayout.COUNTER_MEMORY_LENGTH);
        landing.close(NodeLayout.COUNTER_MEMORY_LENGTH);

        final long value = own.receptionValueOffset(odd.id());
        for (int i = 0; i < NodeLayout.COUNTER_MEMORY_LENGTH; i++) {
            assertThat(own.values().getByte(value + NodeLayout.COUNTER_MEMORY_OFFSET + i))
                    .isEqualTo((byte) ((3 + i) % 101));
        }
        assertThat(odd.valueAcquire()).isEqualTo(7);
        assertThat(odd.errorAcquire()).isZero();
        assertThat(new OwedEvents(own).ofCounterAcquire(odd.id())).isOne();
        assertThat(pair.counter(0).valueAcquire()).isZero();
        assertThat(landing(2).open(odd.id(), odd.incarnation())).isEqualTo(Refusal.SOURCE_NOT_ADMITTED.code());
        assertCanariesAround(0, 0);
    }

    private void assertCanariesAround(int from, int length) {
        for (int i = 0; i < 1024; i++) {
            assertThat(before.buffer().getByte(i)).isEqualTo(CANARY);
            assertThat(after.buffer().getByte(i)).isEqualTo(CANARY);
            if (i < from || i >= from + length) {
                assertThat(window.buffer().getByte(i)).as("byte " + i).isEqualTo(CANARY);
            }
        }
    }

    @Test
    void shouldAdmitAllRanksNoneOneOrASet() {
        final ReceptionCounter anybody = group.reception(window, 0, 8, ReceptionCounter.ANYBODY);
        final ReceptionCounter nobody = group.reception(window, 8, 8, ReceptionCounter.NOBODY);
        final ReceptionCounter one = group.reception(window, 16, 8, 2);
        final ReceptionCounter set = group.reception(window, 24, 8, new int[] {2, 0});
        assertThat(open(landing(0), set)).isEqualTo(Landing.LANDED);
        assertThat(open(landing(1), set)).isEqualTo(Refusal.SOURCE_NOT_ADMITTED.code());
        assertThat(open(landing(2), set)).isEqualTo(Landing.LANDED);
        assertThat(open(landing(1), anybody)).isEqualTo(Landing.LANDED);
        assertThat(open(landing(2), anybody)).isEqualTo(Landing.LANDED);
        assertThat(open(landing(1), nobody)).isEqualTo(Refusal.SOURCE_NOT_ADMITTED.code());
        assertThat(open(landing(0), nobody)).isEqualTo(Refusal.SOURCE_NOT_ADMITTED.code());
        assertThat(open(landing(1), one)).isEqualTo(Refusal.SOURCE_NOT_ADMITTED.code());
        assertThat(open(landing(2), one)).isEqualTo(Landing.LANDED);
        assertThat(landing(1).count(one.id(), one.incarnation(), -1)).isEqualTo(Refusal.SOURCE_NOT_ADMITTED.code());
        assertThat(one.valueAcquire()).isZero();
        // Its owner may always arm it, independent of its admission.
        assertThat(landing(0).arm(nobody.id(), nobody.incarnation(), 5)).isEqualTo(Landing.LANDED);
        assertThat(nobody.valueAcquire()).isEqualTo(5);
    }

    @Test
    void shouldRefuseACounterThatIsStaleDisabledOrNone() {
        final ReceptionCounter counter = group.reception(window, 0, 8, ReceptionCounter.ANYBODY);
        final Landing landing = landing(1);
        assertThat(landing.open(counter.id(), counter.incarnation() + 1)).isEqualTo(Refusal.STALE_COUNTER.code());
        assertThat(landing.count(counter.id(), 0, -1)).isEqualTo(Refusal.STALE_COUNTER.code());
        for (final int id : new int[] {-1, 16, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
            assertThat(landing.open(id, 1)).isEqualTo(Refusal.NO_SUCH_COUNTER.code());
            assertThat(landing.count(id, 1, 1)).isEqualTo(Refusal.NO_SUCH_COUNTER.code());
        }
        assertThat(landing.open(counter.id() + 1, 1)).as("never opened").isEqualTo(Refusal.COUNTER_DISABLED.code());
        counter.disable();
        assertThat(open(landing, counter)).isEqualTo(Refusal.COUNTER_DISABLED.code());
        assertThat(landing.count(counter.id(), counter.incarnation(), -1)).isEqualTo(Refusal.COUNTER_DISABLED.code());
        assertThat(counter.valueAcquire()).isZero();
    }

    @Test
    void shouldRefuseATargetThatHasDied() {
        final ReceptionCounter counter = group.reception(window, 0, 8, ReceptionCounter.ANYBODY);
        final Landing landing = landing(1);
        new PeerStates(nodes.own(1)).change(0, PeerStates.DEAD);

        assertThat(landing.checkTarget(0)).isEqualTo(Refusal.PEER_DEAD.code());
        assertThat(open(landing, counter)).isEqualTo(Refusal.PEER_DEAD.code());
    }

    /** Stores arbitrary settings in the peer's memory: nothing is written outside the mapped memory. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void shouldValidateTheRangeThatTheOwnerStores(long seed) {
        final ReceptionCounter counter = group.reception(window, 0, 8, ReceptionCounter.ANYBODY);
        final Random chance = new Random(seed);
        final long settings = own.counterSettingsOffset(counter.id());
        final long arena = own.arena().length();
        final long[] edges = {Long.MIN_VALUE, -1, 0, 1, arena - 64, arena, arena + 1, Long.MAX_VALUE};
        final Landing landing = landing(1);
        for (int i = 0; i < 20_000; i++) {
            final long base = edges[chance.nextInt(edges.length)] + chance.nextInt(65) - 32;
            final long limit = edges[chance.nextInt(edges.length)] + chance.nextInt(65) - 32;
            own.owner().putLong(settings + 8, base);
            own.owner().putLong(settings + 16, limit);
            assertThat(open(landing, counter)).isEqualTo(Landing.LANDED);
            final long offset = edges[chance.nextInt(edges.length)] + chance.nextInt(65) - 32;
            final long length = chance.nextInt(200);
            if (landing.admits(offset, length)) {
                assertThat(own.arena().contains(base + offset, length)).isTrue();
                landing.land(nodes.own(1).arena(), 0, offset, length);
            }
            landing.close(0);
        }
    }

    @Test
    void shouldRaiseAHitWhenAnyAdderTakesTheCounterToZeroOrBelow() {
        final ReceptionCounter counter = group.reception(window, 0, 64, ReceptionCounter.ANYBODY);
        MemoryAccess.events(counter, 0, events::add);
        final Landing landing = landing(1);
        final ReceptionFifo lanes = ReceptionFifo.of(own, 0);
        counter.expect(20);

        land(landing, counter, 0, 12);
        assertThat(hits(lanes)).isEmpty();
        land(landing, counter, 0, 12);
        assertThat(hits(lanes)).containsExactly(counter.id());
        land(landing, counter, 0, 8);
        assertThat(hits(lanes)).as("it was below zero already").isEmpty();

        counter.expect(10);
        assertThat(hits(lanes)).as("the expectation left it at or below zero").containsExactly(counter.id());
        counter.expect(5);
        assertThat(hits(lanes)).as("it is above zero now").isEmpty();
        assertThat(landing.count(counter.id(), counter.incarnation(), 0)).isEqualTo(Landing.LANDED);
        assertThat(hits(lanes)).isEmpty();
        assertThat(landing.count(counter.id(), counter.incarnation(), -3)).isEqualTo(Landing.LANDED);
        assertThat(hits(lanes)).containsExactly(counter.id());
        assertThat(counter.valueAcquire()).isZero();
        assertThat(new NodeMetrics(nodes.own(1)).get(Metric.HITS)).isEqualTo(2);
    }

    @Test
    void shouldRaiseAHitWhenAnArmLeavesTheCounterAtOrBelowZero() {
        final ReceptionCounter counter = group.reception(window, 0, 64, ReceptionCounter.ANYBODY);
        MemoryAccess.events(counter, 0, events::add);
        final ReceptionFifo lanes = ReceptionFifo.of(own, 0);
        land(landing(1), counter, 0, 30);
        assertThat(hits(lanes)).isEmpty();

        final Landing self = landing(0);
        assertThat(self.arm(counter.id(), counter.incarnation(), 30)).isEqualTo(Landing.LANDED);
        assertThat(hits(lanes)).containsExactly(counter.id());
        assertThat(self.arm(counter.id(), counter.incarnation(), 30)).isEqualTo(Landing.LANDED);
        assertThat(hits(lanes)).isEmpty();
    }

    @Test
    void shouldLandAndCountAnOwedEventWhenItsRecordHasNoRoom() {
        final ReceptionCounter counter = group.reception(window, 0, 64, ReceptionCounter.ANYBODY);
        MemoryAccess.events(counter, 0, events::add);
        final OwedEvents owed = new OwedEvents(own);
        final Landing landing = landing(1);
        final ReceptionFifo lanes = ReceptionFifo.of(own, 0);
        final int records = fill(landing);
        counter.expect(9);
        land(landing, counter, 0, 8);
        assertThat(owed.ofCounterAcquire(counter.id())).as("no hit yet").isZero();
        assertThat(landing.count(counter.id(), counter.incarnation(), -1)).isEqualTo(Landing.LANDED);
        assertThat(counter.valueAcquire()).isZero();
        assertThat(window.buffer().getByte(7)).isEqualTo((byte) 7);
        assertThat(owed.ofCounterAcquire(counter.id())).isEqualTo(1);
        assertThat(owed.ofContextAcquire(0)).isEqualTo(1);

        assertThat(lanes.poll(new Events(), Integer.MAX_VALUE)).isEqualTo(records);
        assertThat(events).isEmpty();
        counter.expect(8);
        land(landing, counter, 0, 8);
        assertThat(hits(lanes)).containsExactly(counter.id());
        assertThat(owed.ofContextAcquire(0)).as("there was room").isEqualTo(1);
    }

    /** Fills the lane of a landing into context 0, and returns the number of records. */
    private static int fill(Landing landing) {
        int records = 0;
        while (landing.lane(0).claim(0) >= 0) {
            landing.lane(0).publish(1, 0);
            records++;
        }
        landing.lane(0).flush();
        return records;
    }

    @Test
    void shouldNotFindALaneForTheEventsOfAContextThatIsNone() {
        final ReceptionCounter counter = group.reception(window, 0, 64, ReceptionCounter.ANYBODY);
        MemoryAccess.events(counter, 1, events::add);
        assertThat(open(landing(1), counter)).isEqualTo(Refusal.NO_SUCH_CONTEXT.code());
        MemoryAccess.events(counter, -1, events::add);
        assertThat(open(landing(1), counter)).isEqualTo(Refusal.NO_SUCH_CONTEXT.code());
    }

    /** Lets two ranks land while the owner expects: the final value is exact, and each round's end raises a hit. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLoseNoHitAndNoByteAmongConcurrentAdders(boolean lanesAreFull) throws Exception {
        final int rounds = 3000;
        final int portion = 16;
        final ReceptionCounter counter = group.reception(window, 0, 64, ReceptionCounter.ANYBODY);
        MemoryAccess.events(counter, 0, events::add);
        final ReceptionFifo lanes = ReceptionFifo.of(own, 0);
        final ExecutorService threads = Executors.newFixedThreadPool(2);
        final AtomicBoolean stopped = new AtomicBoolean();
        try {
            final List<Future<?>> adders = new ArrayList<>();
            for (int rank = 1; rank <= 2; rank++) {
                final Landing landing = landing(rank);
                if (lanesAreFull) {
                    fill(landing);
                }
                adders.add(threads.submit(() -> {
                    for (int i = 0; i < rounds && !stopped.get(); i++) {
                        open(landing, counter);
                        landing.land(nodes.own(1).arena(), 0, 0, portion);
                        landing.close(portion);
                    }
                }));
            }
            // The two may run ahead of the owner: when a wait sees the value above zero, a hit is pending.
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
            int rounded = 0;
            while (rounded < rounds) {
                rounded++;
                counter.expect(2 * portion);
                boolean complete = counter.valueAcquire() <= 0;
                while (!complete) {
                    assertThat(System.nanoTime() - deadlineNs)
                            .as("round " + rounded + ": the hit is lost")
                            .isNegative();
                    complete = isHit(lanesAreFull, counter, lanes) && counter.valueAcquire() <= 0;
                }
            }
            for (final Future<?> adder : adders) {
                adder.get(SECONDS, TimeUnit.SECONDS);
            }
            assertThat(counter.valueAcquire()).isZero();
        } finally {
            stopped.set(true);
            threads.shutdownNow();
        }
    }

    /** Returns true if the counter was hit since the last call. */
    private boolean isHit(boolean isOwed, ReceptionCounter counter, ReceptionFifo lanes) {
        if (!isOwed) {
            return !hits(lanes).isEmpty();
        }
        events.clear();
        final long before = owedBefore;
        owedBefore = new OwedEvents(own).ofCounterAcquire(counter.id());
        return owedBefore != before;
    }

    private Landing landing(int origin) {
        final NodeMemory origins = nodes.own(origin);
        return new Landing(
                origin == 0 ? own : nodes.asPeer(0), origin, new PeerStates(origins), new NodeMetrics(origins));
    }

    private static int open(Landing landing, ReceptionCounter counter) {
        return landing.open(counter.id(), counter.incarnation());
    }

    private void land(Landing landing, ReceptionCounter counter, long offset, long length) {
        assertThat(open(landing, counter)).isEqualTo(Landing.LANDED);
        landing.land(nodes.own(1).arena(), 0, offset, length);
        landing.close(length);
    }

    /** Returns the hits that were raised since the last call. */
    private List<Integer> hits(ReceptionFifo lanes) {
        lanes.poll(new Events(), Integer.MAX_VALUE);
        final List<Integer> raised = List.copyOf(events);
        events.clear();
        return raised;
    }

    private final class Events implements RecordHandler {
        @Override
        public boolean onMessage(
                long origin, int dispatchId, DirectBuffer buffer, int metadataOffset, int metadataLength, int payload) {
            assertThat(dispatchId).isEqualTo(1);
            return true;
        }

        @Override
        public void onEvent(int counter) {
            events.add(counter);
        }

        @Override
        public void onFifoEvent(int number) {
            throw new AssertionError("FIFO " + number);
        }

        @Override
        public void onQuarantine(int origin) {
            throw new AssertionError("lane " + origin);
        }
    }
}
