package org.segno.engine.reuse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.segno.engine.counter.RankSets;
import org.segno.engine.memory.MappedNodes;
import org.segno.engine.memory.NodeFile;
import org.segno.engine.memory.NodeHeader;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.NodeSize;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.LocalCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Window;
import org.segno.status.ClosedException;

class CounterGroupTest {
    private static final int COUNTERS = 16;

    @TempDir
    Path directory;

    private MappedNodes nodes;
    private CounterGroup group;
    private Window window;

    @BeforeEach
    void make() {
        nodes = MappedNodes.create(
                directory, NodeSize.small().ranks(3).counters(COUNTERS).dimensions());
        group = new CounterGroup(nodes.own(0));
        window = new WindowArena(nodes.own(0)).open(1000);
    }

    @AfterEach
    void close() {
        nodes.close();
    }

    @Test
    void shouldGiveACounterZeroedBytesOfItsOwn() {
        final ReceptionCounter first = group.inLine(56, ReceptionCounter.ANYBODY);
        first.buffer().setMemory(0, 56, (byte) 7);
        assertThat(first.length()).isEqualTo(56);
        assertThat(first.valueAcquire()).isZero();
        assertThat(first.errorAcquire()).isZero();
        group.close(first);
        assertThatThrownBy(first::buffer).isInstanceOf(ClosedException.class);
        group.disable(first);
        group.release(first);

        final ReceptionCounter next = group.inLine(20, new int[] {1, 2});
        assertThat(next.id()).isEqualTo(first.id());
        assertThat(next.buffer().capacity()).isEqualTo(20);
        for (int at = 0; at < 20; at++) {
            assertThat(next.buffer().getByte(at)).isZero();
        }
    }

    @Test
    void shouldRefuseBytesBeyondALineAndTheBufferOfAWindow() {
        for (final int length : new int[] {Integer.MIN_VALUE, -1, 0, 57, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> group.inLine(length, ReceptionCounter.ANYBODY))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("1 to 56 bytes of its own: length=" + length)
                    .hasMessageContaining("open a window");
        }
        assertThatThrownBy(group.reception(window, 0, 8, ReceptionCounter.ANYBODY)::buffer)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("read the window");
        assertThatThrownBy(group.bare(ReceptionCounter.ANYBODY)::buffer).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void shouldReportTheExhaustedResource() {
        for (int i = 0; i < COUNTERS; i++) {
            assertThat(group.injection().id()).isEqualTo(i);
        }
        assertThatThrownBy(() -> group.injection())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("all 16 injection counters")
                .hasMessageContaining("raise withCounters");
        for (int i = 0; i < COUNTERS - 1; i++) {
            assertThat(group.bare(ReceptionCounter.ANYBODY).id()).isEqualTo(i);
        }
        assertThatThrownBy(() -> group.pair(window, 0, 8, 8, ReceptionCounter.ANYBODY))
                .hasMessageContaining("all 16 reception counters")
                .hasMessageContaining("2 more");
        assertThat(group.bare(ReceptionCounter.ANYBODY).id()).isEqualTo(COUNTERS - 1);
        assertThatThrownBy(() -> group.bare(ReceptionCounter.ANYBODY)).hasMessageContaining("raise withCounters");
    }

    @Test
    void shouldRefuseRangesOutsideTheWindowSetsThatOverlapAndRanksThatAreNone() {
        assertThatThrownBy(() -> group.reception(window, 993, 8, 0)).hasMessageContaining("[993, 993 + 8)");
        assertThatThrownBy(() -> group.reception(window, -1, 8, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> group.reception(window, 0, -1, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> group.reception(window, 8, Long.MAX_VALUE, 0))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> group.reception(window, 0, 8, 3)).hasMessageContaining("sources=3");
        assertThatThrownBy(() -> group.reception(window, 0, 8, -3)).hasMessageContaining("sources=-3");
        assertThatThrownBy(() -> group.pair(window, 0, 7, 8, 0))
                .hasMessageContaining("must be the same or not overlap");
        assertThatThrownBy(() -> group.pair(window, 7, 0, 8, 0))
                .hasMessageContaining("must be the same or not overlap");
        // The refused calls have taken no counter.
        assertThat(group.pair(window, 8, 0, 8, 0).id()).isZero();
        assertThat(group.pair(window, 16, 16, 8, 0).offset(1)).isEqualTo(16);
    }

    @Test
    void shouldShareEqualSetsOfRanksAndReuseThemAfterTheLastCounter() {
        final ReceptionCounter one = group.reception(window, 0, 8, new int[] {2, 0});
        final CounterPair pair = group.pair(window, 0, 8, 8, new int[] {0, 2, 2});
        final ReceptionCounter other = group.reception(window, 0, 8, new int[] {1, 2});
        final int sources = MemoryAccess.sources(one);
        assertThat(RankSets.isSet(sources)).isTrue();
        assertThat(MemoryAccess.sources(pair.counter(0))).isEqualTo(sources);
        assertThat(MemoryAccess.sources(pair.counter(1))).isEqualTo(sources);
        assertThat(MemoryAccess.sourceSet(one)).containsExactly(0, 2);
        assertThat(MemoryAccess.sources(other)).isNotEqualTo(sources);

        group.close(one);
        group.release(one);
        assertThat(MemoryAccess.sourceSet(pair.counter(0))).containsExactly(0, 2);
        for (int round = 0; round < 2; round++) {
            group.close(pair.counter(round));
            group.release(pair.counter(round));
        }
        for (int i = 0; i < 4 * COUNTERS; i++) {
            final ReceptionCounter next =
                    group.reception(window, 0, 8, i % 2 == 0 ? new int[] {0, 1} : new int[] {2, 0});
            assertThat(MemoryAccess.sourceSet(next)).hasSize(2);
            group.close(next);
            group.release(next);
        }
        assertThat(MemoryAccess.sourceSet(other)).containsExactly(1, 2);
    }

    @Test
    void shouldNeedNoSetForOneRankForAllOrForNone() {
        assertThat(MemoryAccess.sources(group.reception(window, 0, 8, new int[] {1, 1})))
                .isEqualTo(1);
        assertThat(MemoryAccess.sources(group.reception(window, 0, 8, new int[] {1, 0, 2})))
                .isEqualTo(ReceptionCounter.ANYBODY);
        assertThat(MemoryAccess.sources(group.reception(window, 0, 8, new int[0])))
                .isEqualTo(ReceptionCounter.NOBODY);
        assertThat(MemoryAccess.sourceSet(group.reception(window, 0, 8, 1))).isEmpty();
        assertThatThrownBy(() -> group.reception(window, 0, 8, new int[] {0, 3}))
                .hasMessageContaining("sources=3");
        assertThatThrownBy(() -> group.reception(window, 0, 8, new int[] {0, -1}))
                .hasMessageContaining("sources=-1");
        assertThatThrownBy(() -> group.reception(window, 0, 8, RankSets.sources(0)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shouldReportThatAllSetsOfRanksAreInUse() {
        final int ranks = 70;
        final int[] set = new int[ranks - 1];
        try (NodeFile large = NodeFile.create(
                directory.resolve("large"),
                NodeLayout.of(NodeSize.small().ranks(ranks).counters(3).dimensions()),
                new NodeHeader.Identity(1, 2, 0, 3, 4))) {
            final NodeMemory node = large.mapAsOwner();
            final CounterGroup small = new CounterGroup(node);
            final Window any = new WindowArena(node).open(8);
            for (int i = 0; i < 2; i++) {
                small.reception(any, 0, 8, new int[] {i, i + 1});
            }
            for (int rank = 1; rank < ranks; rank++) {
                set[rank - 1] = rank;
            }
            final ReceptionCounter last = small.reception(any, 0, 8, set);
            assertThat(MemoryAccess.sourceSet(last)).isEqualTo(set);
            assertThatThrownBy(() -> small.reception(any, 0, 8, new int[] {0, 69}))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("all 3 sets of ranks are in use");
            small.close(last);
            small.release(last);
            final ReceptionCounter next = small.reception(any, 0, 8, new int[] {0, 69});
            assertThat(MemoryAccess.sourceSet(next)).containsExactly(0, 69);
        }
    }

    @Test
    void shouldUseNeighbouringCountersAndSetsInTurn() {
        final CounterPair pair = group.pair(window, 100, 300, 50, ReceptionCounter.ANYBODY);
        for (long generation = 1; generation < 5; generation++) {
            assertThat(pair.counter(generation).id()).isEqualTo(pair.id() + (int) (generation % 2));
            assertThat(pair.offset(generation)).isEqualTo(generation % 2 == 0 ? 100 : 300);
        }
        assertThat(pair.length()).isEqualTo(50);
    }

    @Test
    void shouldRefuseToExpectLessThanNothing() {
        final ReceptionCounter reception = group.bare(ReceptionCounter.ANYBODY);
        final InjectionCounter injection = group.injection();
        assertThatThrownBy(() -> reception.expect(-1)).hasMessageContaining("bytes=-1");
        assertThatThrownBy(() -> injection.expect(-1)).hasMessageContaining("bytes=-1");
        assertThat(reception.valueAcquire()).isZero();
        assertThat(injection.valueAcquire()).isZero();
    }

    /** Records in two contexts of a node at a time: the end of one recording is not the end of the other. */
    @Test
    void shouldRefuseToExpectMoreThanACounterCounts() {
        final ReceptionCounter reception = group.bare(ReceptionCounter.ANYBODY);
        final InjectionCounter injection = group.injection();
        for (final long tooMany : new long[] {LocalCounter.MAX_EXPECTATION + 1, Long.MAX_VALUE}) {
            assertThatThrownBy(() -> reception.expect(tooMany)).hasMessageContaining("at a time: bytes=" + tooMany);
            assertThatThrownBy(() -> injection.expect(tooMany)).hasMessageContaining("at a time: bytes=" + tooMany);
        }
        reception.expect(LocalCounter.MAX_EXPECTATION);
        injection.expect(LocalCounter.MAX_EXPECTATION);
        assertThat(reception.valueAcquire()).isEqualTo(LocalCounter.MAX_EXPECTATION);
        assertThat(injection.valueAcquire()).isEqualTo(LocalCounter.MAX_EXPECTATION);
    }

    @Test
    void shouldRefuseDirectExpectationsToEveryThreadThatRecords() throws Exception {
        final ReceptionCounter counter = group.bare(ReceptionCounter.ANYBODY);
        final ExecutorService other = Executors.newSingleThreadExecutor();
        try {
            group.beginRecording();
            get(other.submit(group::beginRecording));
            assertThatThrownBy(() -> counter.expect(1)).hasMessageContaining("context.expect");
            get(other.submit(() -> group.endRecording(Thread.currentThread())));
            assertThatThrownBy(() -> counter.expect(1)).hasMessageContaining("context.expect");
            get(other.submit(() -> counter.expect(1)));
            group.endRecording(Thread.currentThread());
            counter.expect(1);
            assertThat(counter.valueAcquire()).isEqualTo(2);
        } finally {
            other.shutdownNow();
        }
    }

    @Test
    void shouldBeArmedAsLongAsAnyPatternArmsIt() {
        final CounterPair pair = group.pair(window, 0, 8, 8, ReceptionCounter.ANYBODY);
        MemoryAccess.arm(pair);
        MemoryAccess.arm(pair);
        MemoryAccess.disarm(pair);
        assertThat(MemoryAccess.isArmed(pair.counter(0))).isTrue();
        assertThat(MemoryAccess.isArmed(pair.counter(1))).isTrue();
        MemoryAccess.disarm(pair);
        assertThat(MemoryAccess.isArmed(pair.counter(0))).isFalse();
        assertThat(MemoryAccess.isArmed(pair.counter(1))).isFalse();
    }

    private static void get(Future<?> future) throws Exception {
        future.get(10, TimeUnit.SECONDS);
    }
}
