package org.segno.simulator;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Simulations of whole jobs by seed. */
class SimulationTest {
    private static final int OPERATIONS = 2_000;

    private static SimulationPlan plan(long seed) {
        return new SimulationPlan(seed, nodes(seed), OPERATIONS, Workload.MIXED, Fault.swarm(seed));
    }

    private static int nodes(long seed) {
        return 2 + (int) (seed % 7);
    }

    /** Returns the command that repeats a simulation with the usual bounds. */
    static String command(SimulationPlan plan) {
        final String faults =
                plan.faults().stream().map(SimulationTest::lowerCase).collect(joining(","));
        return "tools/bin/segno sim --nodes " + plan.nodes()
                + " --workload " + lowerCase(plan.workload())
                + " --operations " + plan.operations()
                + " --seed " + plan.seed()
                + " --faults " + (faults.isEmpty() ? "none" : faults);
    }

    private static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static void findNoDefect(SeedCount count) throws InterruptedException {
        final List<SimulationResult> failed = Collections.synchronizedList(new ArrayList<>());
        SeedThreads.forEachSeed(count.seeds(), seed -> {
            final SimulationResult result = Simulation.run(plan(seed));
            if (!result.defects().isEmpty() && failed.size() < 10) {
                failed.add(result);
            }
            count.simulated(result);
        });
        assertThat(failed)
                .as(
                        "failed simulations, repeated by%n%s",
                        failed.stream().map(result -> command(result.plan())).collect(joining("\n")))
                .isEmpty();
        assertThat(count.simulated()).isEqualTo(count.seeds());
        assertThat(count.messages()).isGreaterThan(500 * count.seeds());
    }

    @Test
    @Timeout(600)
    void shouldFindNoDefectInAnySeed() throws InterruptedException {
        findNoDefect(new SeedCount(Integer.getInteger("segno.simulator.seeds", 200), 1));
    }

    @Test
    @Tag("long")
    @Timeout(900)
    void shouldFindNoDefectInThousandsOfSeeds() throws InterruptedException {
        findNoDefect(new SeedCount(Integer.getInteger("segno.simulator.seeds", 5_000), 1));
    }

    @Test
    @Tag("simulator")
    @Timeout(36_000)
    void shouldFindNoDefectInManySeeds() throws InterruptedException {
        findNoDefect(new SeedCount(Integer.getInteger("segno.simulator.seeds", 1_000_000), 100));
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(Fault.class)
    @Timeout(60)
    void shouldFindNoDefectWithOneKindOfFaultThatChangesSomething(Fault fault) {
        int changed = 0;
        for (int seed = 1; seed <= 7; seed++) {
            final SimulationPlan plan = new SimulationPlan(seed, nodes(seed), 300, Workload.HOTSPOT, Set.of(fault));
            final SimulationResult result = Simulation.run(plan);
            assertThat(result.defects()).as(command(plan)).isEmpty();
            final long without = Simulation.run(plan.withFaults(Set.of())).eventHash();
            changed += result.eventHash() == without ? 0 : 1;
        }
        assertThat(changed).isPositive();
    }

    @Test
    void shouldNeedSmallFilesOnly() {
        for (int seed = 1; seed <= 1_000; seed++) {
            assertThat(Simulation.fileBytes(plan(seed))).as(command(plan(seed))).isLessThanOrEqualTo(256 * 1024);
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
                .hasToString("6c189bbaaa84f6d4 6ff5f00e36ee9bad 8c760d675606a41b "
                        + "a81c767fb8d5b183 36dc489d44653f2f 379642b2f340ac16 ");
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
                .contains("reopen", "room", "room_put", "lent", "fence", "burst");
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

    private static SimulationPlan bounded(Fault fault, SimulationPlan.Bounds bounds) {
        return new SimulationPlan(3, 4, 600, Workload.MIXED, Set.of(fault), bounds);
    }

    /** Returns the times of the operations of a simulation without a defect. */
    private static List<Long> begunNs(SimulationPlan.Bounds bounds) {
        final Set<String> others = Set.of("received", "pause");
        final List<Long> begunNs = new ArrayList<>();
        final SimulationResult result = Simulation.run(bounded(Fault.PAUSE, bounds), (virtualNs, rank, kind, text) -> {
            if (!others.contains(kind)) {
                begunNs.add(virtualNs);
            }
        });
        assertThat(result.defects()).isEmpty();
        return begunNs;
    }

    @Test
    @Timeout(60)
    void shouldBeginNoOperationAfterTheirEnd() {
        final List<Long> usual = begunNs(SimulationPlan.Bounds.USUAL);
        assertThat(usual).hasSize(600);

        final long untilNs = usual.get(300);
        final List<Long> bounded = begunNs(new SimulationPlan.Bounds(untilNs, 1_024, 0));
        assertThat(bounded).isNotEmpty().isEqualTo(usual.subList(0, bounded.size()));
        assertThat(usual.get(bounded.size())).isEqualTo(untilNs);
    }

    @Test
    @Timeout(60)
    void shouldGoAnotherWayWithShorterPayloads() {
        final SimulationResult usual = Simulation.run(bounded(Fault.SLOW, SimulationPlan.Bounds.USUAL));
        final SimulationResult shorter =
                Simulation.run(bounded(Fault.SLOW, new SimulationPlan.Bounds(Long.MAX_VALUE, 1, 0)));

        assertThat(shorter.defects()).isEmpty();
        assertThat(shorter.eventHash()).isNotEqualTo(usual.eventHash());
    }

    @Test
    @Timeout(60)
    void shouldGoTheSameWayWithTheSlotsThatTheSeedDraws() {
        final long usual =
                Simulation.run(bounded(Fault.SLOW, SimulationPlan.Bounds.USUAL)).eventHash();
        int same = 0;
        for (int slots = 2; slots <= SimulationPlan.Bounds.MAX_FIFO_SLOTS; slots *= 2) {
            final SimulationResult result =
                    Simulation.run(bounded(Fault.SLOW, new SimulationPlan.Bounds(Long.MAX_VALUE, 1_024, slots)));
            assertThat(result.defects()).isEmpty();
            same += result.eventHash() == usual ? 1 : 0;
        }
        assertThat(same).isPositive().isLessThan(5);
    }

    @Test
    void shouldRefuseBoundsThatNoSimulationCanHave() {
        for (final int slots : new int[] {-2, 1, 3, 2_048}) {
            assertThatThrownBy(() -> new SimulationPlan.Bounds(0, 1, slots)).hasMessageContaining("fifoSlots=" + slots);
        }
        for (final int longest : new int[] {0, 1_025}) {
            assertThatThrownBy(() -> new SimulationPlan.Bounds(0, longest, 0))
                    .hasMessageContaining("longest=" + longest);
        }
        assertThatThrownBy(() -> new SimulationPlan.Bounds(-1, 1, 0)).hasMessageContaining("untilNs=-1");
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
