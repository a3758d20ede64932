package org.segno.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Simulations of whole jobs by seed. */
class SimulationTest {
    private static final int OPERATIONS = 2_000;
    private static final int THREADS = 2;

    private static SimulationPlan plan(long seed) {
        return new SimulationPlan(seed, nodes(seed), OPERATIONS, Workload.MIXED, Fault.swarm(seed));
    }

    private static int nodes(long seed) {
        return 2 + (int) (seed % 7);
    }

    /** Passes the seeds from 1 on to several threads. */
    private static void forEachSeed(long last, LongConsumer simulation) throws InterruptedException {
        final AtomicLong seeds = new AtomicLong();
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            threads.add(new Thread(() -> {
                for (long seed = seeds.incrementAndGet(); seed <= last; seed = seeds.incrementAndGet()) {
                    simulation.accept(seed);
                }
            }));
        }
        threads.forEach(Thread::start);
        for (final Thread thread : threads) {
            thread.join();
        }
    }

    private static void findNoDefect(long seeds) throws InterruptedException {
        final List<SimulationResult> failed = Collections.synchronizedList(new ArrayList<>());
        final AtomicLong simulated = new AtomicLong();
        final AtomicLong messages = new AtomicLong();
        forEachSeed(seeds, seed -> {
            final SimulationResult result = Simulation.run(plan(seed));
            simulated.incrementAndGet();
            messages.addAndGet(result.messages());
            if (!result.defects().isEmpty() && failed.size() < 10) {
                failed.add(result);
            }
        });
        assertThat(failed).isEmpty();
        assertThat(simulated).hasValue(seeds);
        assertThat(messages).hasValueGreaterThan(500 * seeds);
    }

    @Test
    @Timeout(600)
    void shouldFindNoDefectInAnySeed() throws InterruptedException {
        findNoDefect(Integer.getInteger("segno.simulator.seeds", 2_000));
    }

    @Test
    @Tag("simulator")
    @Timeout(36_000)
    void shouldFindNoDefectInManySeeds() throws InterruptedException {
        findNoDefect(Integer.getInteger("segno.simulator.seeds", 1_000_000));
    }

    @ParameterizedTest
    @EnumSource(Fault.class)
    @Timeout(60)
    void shouldFindNoDefectWithOneKindOfFault(Fault fault) {
        for (int seed = 1; seed <= 7; seed++) {
            final Set<Fault> faults = Set.of(fault);
            assertThat(Simulation.run(new SimulationPlan(seed, nodes(seed), 300, Workload.HOTSPOT, faults))
                            .defects())
                    .as("seed %d", seed)
                    .isEmpty();
        }
    }

    @Test
    @Timeout(60)
    void shouldGoTheSameWayForTheSameSeedAndAnotherWayForAnother() {
        for (int seed = 200; seed < 206; seed++) {
            final SimulationResult first = Simulation.run(plan(seed));
            assertThat(Simulation.run(plan(seed))).isEqualTo(first);
            assertThat(Simulation.run(plan(seed + 70)).eventHash()).isNotEqualTo(first.eventHash());
        }
    }

    /** The value holds on every JDK and machine. A change of the engine or of the workload changes it. */
    @Test
    @Timeout(60)
    void shouldGoTheSameWayAsBefore() {
        final StringBuilder hashes = new StringBuilder();
        for (int seed = 1; seed <= 6; seed++) {
            hashes.append(Long.toHexString(Simulation.run(plan(seed)).eventHash()))
                    .append(' ');
        }
        assertThat(hashes)
                .hasToString(
                        "e9bf4e7ca362b929 bb4bee83ad58245d dfe86b80e7039d51 a34e64c55f1ae438 67d3dcdc29580713 dcb1b2b0a4336cc3 ");
    }

    @Test
    @Timeout(60)
    void shouldGoTheSameWayWithAnObserver() {
        final List<String> kinds = new ArrayList<>();
        final SimulationResult observed = Simulation.run(plan(9), (virtualNs, rank, kind, text) -> kinds.add(kind));
        assertThat(Simulation.run(plan(9))).isEqualTo(observed);
        assertThat(kinds)
                .contains("put", "get", "received")
                .contains("multicast", "exchange", "notice", "ring", "expect", "refusal", "declined")
                .contains("reopen", "room", "room_put", "lent", "fence");
        assertThat(Collections.frequency(kinds, "received")).isEqualTo((int) observed.messages());
    }

    @Test
    @Timeout(60)
    void shouldSimulateOneNodeAndMany() {
        for (final int nodes : new int[] {1, 40}) {
            final SimulationResult result = Simulation.run(
                    new SimulationPlan(5, nodes, 40 * nodes, Workload.MIXED, EnumSet.allOf(Fault.class)));
            assertThat(result.defects()).isEmpty();
            assertThat(result.messages()).isPositive();
        }
    }

    @Test
    void shouldRefuseAPlanWithoutNodesOrWithTooMany() {
        for (final int nodes : new int[] {0, SimulationPlan.MAX_NODES + 1}) {
            assertThatThrownBy(() -> new SimulationPlan(1, nodes, 1, Workload.MIXED, Set.of()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("nodes=" + nodes);
        }
    }
}
