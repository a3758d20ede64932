package org.segno.simulator;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.segno.collective.CollectiveKind;

/** Simulations of collectives by seed. */
class CollectiveSimulationTest {
    private static final int STEPS = 40;
    private static final int MOST_NODES = 9;
    private static final Set<Fault> DEATHS = EnumSet.of(Fault.CRASH, Fault.PAUSE, Fault.LATE, Fault.REORDER);

    private static SimulationPlan plan(long seed, Set<Fault> faults) {
        final int nodes = 1 + (int) (seed % MOST_NODES);
        return new SimulationPlan(seed, nodes, STEPS * nodes, Workload.COLLECTIVES, faults);
    }

    private static SimulationPlan plan(long seed) {
        return plan(seed, Fault.swarm(seed));
    }

    private static SimulationPlan byAll(long seed) {
        final SimulationPlan plan = plan(seed);
        return new SimulationPlan(seed, plan.nodes(), plan.operations(), Workload.ALGORITHMS, plan.faults());
    }

    private static void findNoDefect(SeedCount count, LongFunction<SimulationPlan> plans) throws InterruptedException {
        final List<SimulationResult> failed = Collections.synchronizedList(new ArrayList<>());
        SeedThreads.forEachSeed(count.seeds(), seed -> {
            final SimulationResult result = Simulation.run(plans.apply(seed));
            if (!result.defects().isEmpty() && failed.size() < 10) {
                failed.add(result);
            }
            count.simulated(result);
        });
        assertThat(failed)
                .as(
                        "failed simulations, repeated by%n%s",
                        failed.stream()
                                .map(result -> SimulationTest.command(result.plan()))
                                .collect(joining("\n")))
                .isEmpty();
        assertThat(count.simulated()).isEqualTo(count.seeds());
        assertThat(count.messages()).isGreaterThan(200 * count.seeds());
    }

    @Test
    @Timeout(120)
    void shouldFindNoDefectInAnySeed() throws InterruptedException {
        findNoDefect(
                new SeedCount(Integer.getInteger("segno.simulator.collectives", 20), 1),
                CollectiveSimulationTest::plan);
    }

    @Test
    @Timeout(120)
    void shouldFindNoDefectOfAnyAlgorithm() throws InterruptedException {
        findNoDefect(
                new SeedCount(Integer.getInteger("segno.simulator.algorithms", 10), 1),
                CollectiveSimulationTest::byAll);
    }

    @Test
    @Tag("stress")
    @Timeout(3_600)
    void shouldFindNoDefectInManySeeds() throws InterruptedException {
        findNoDefect(
                new SeedCount(Integer.getInteger("segno.simulator.collectives", 4_000), 10),
                CollectiveSimulationTest::plan);
    }

    @Test
    @Tag("stress")
    @Timeout(3_600)
    void shouldFindNoDefectOfAnyAlgorithmInManySeeds() throws InterruptedException {
        findNoDefect(
                new SeedCount(Integer.getInteger("segno.simulator.algorithms", 4_000), 10),
                CollectiveSimulationTest::byAll);
    }

    /** Seeds that have found a defect of the engine, or of the simulation. */
    @ParameterizedTest
    @CsvSource({"65, swarm", "107, swarm", "310, swarm", "610, swarm", "20101, deaths"})
    @Timeout(60)
    void shouldFindNoDefectAnyMore(long seed, String faults) {
        final SimulationPlan plan = "swarm".equals(faults) ? plan(seed) : plan(seed, DEATHS);
        assertThat(Simulation.run(plan).defects())
                .as(SimulationTest.command(plan))
                .isEmpty();
    }

    /**
     * Of other lengths: a member that starts the next round of a barrier, while a dead one holds the last; refusals for
     * want of windows, and waits for room that add up.
     */
    @ParameterizedTest
    @CsvSource({"12, 7, 868, CRASH", "2, 1, 758,", "28, 1, 727,", "17, 1, 1616,"})
    @Timeout(60)
    void shouldFindNoDefectInLongScriptsAnyMore(long seed, int nodes, int operations, @Nullable Fault fault) {
        final Set<Fault> faults = fault == null ? EnumSet.noneOf(Fault.class) : EnumSet.of(fault);
        final SimulationPlan plan = new SimulationPlan(seed, nodes, operations, Workload.COLLECTIVES, faults);
        assertThat(Simulation.run(plan).defects())
                .as(SimulationTest.command(plan))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {50, 1000})
    @Timeout(60)
    void shouldEndWhenANodeWouldCrashWhileItIsClosed(int operations) {
        final Set<Fault> faults = EnumSet.of(Fault.CLOG, Fault.CUT, Fault.CRASH);
        final SimulationPlan plan = new SimulationPlan(30241, 3, operations, Workload.COLLECTIVES, faults);
        assertThat(Simulation.run(plan).defects())
                .as(SimulationTest.command(plan))
                .isEmpty();
    }

    @ParameterizedTest
    @Tag("long")
    @EnumSource(Fault.class)
    @Timeout(60)
    void shouldFindNoDefectWithOneKindOfFault(Fault fault) {
        final SimulationPlan plan = plan(4, Set.of(fault));
        assertThat(Simulation.run(plan).defects())
                .as(SimulationTest.command(plan))
                .isEmpty();
    }

    @Test
    @Tag("long")
    @Timeout(60)
    void shouldGoTheSameWayForTheSameSeedAndAnotherWayForAnother() {
        for (int seed = 200; seed < 203; seed++) {
            final SimulationResult first = Simulation.run(plan(seed));
            assertThat(Simulation.run(plan(seed))).isEqualTo(first);
            assertThat(Simulation.run(plan(seed + 90)).eventHash()).isNotEqualTo(first.eventHash());
        }
    }

    @Test
    @Tag("long")
    @Timeout(60)
    void shouldCarryOutCollectivesOfAllKindsAndGoOnAfterADeath() {
        final Set<String> kinds = new HashSet<>();
        long rounds = 0;
        for (int seed = 1; seed <= 12; seed++) {
            rounds += Simulation.run(
                            plan(seed, seed <= 4 ? DEATHS : Set.of()), (virtualNs, rank, kind, text) -> kinds.add(kind))
                    .messages();
        }
        assertThat(kinds)
                .containsAll(Arrays.stream(CollectiveKind.values())
                        .map(CollectiveKind::toString)
                        .toList())
                .contains("failed", "refused", "living");
        assertThat(rounds).isGreaterThan(1_000);
    }

    @Test
    @Tag("long")
    @Timeout(60)
    void shouldEndAtTheSameStepEverywhere() {
        final SimulationPlan usual = plan(14, Set.of());
        final long half = Simulation.run(usual).virtualNs() / 2;
        final SimulationResult bounded = Simulation.run(new SimulationPlan(
                usual.seed(),
                usual.nodes(),
                usual.operations(),
                usual.workload(),
                usual.faults(),
                new SimulationPlan.Bounds(half, 16, 0)));
        assertThat(bounded.defects()).isEmpty();
        assertThat(bounded.messages()).isPositive();
    }

    @Test
    @Timeout(60)
    void shouldSimulateManyNodes() {
        final SimulationResult result =
                Simulation.run(new SimulationPlan(3, 24, 240, Workload.COLLECTIVES, Set.of(Fault.PAUSE)));
        assertThat(result.defects()).isEmpty();
        assertThat(result.messages()).isPositive();
    }
}
