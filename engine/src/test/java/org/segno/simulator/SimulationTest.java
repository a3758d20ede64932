package org.segno.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Simulations of whole jobs by seed. */
@Timeout(300)
class SimulationTest {
    private static final int OPERATIONS = 600;

    private static SimulationPlan plan(long seed) {
        return new SimulationPlan(seed, 2 + (int) (seed % 7), OPERATIONS, Workload.MIXED, Fault.swarm(seed));
    }

    @Test
    void shouldFindNoDefectInAnySeed() {
        final List<SimulationResult> failed = new ArrayList<>();
        long messages = 0;
        for (int seed = 1; seed <= 60; seed++) {
            final SimulationResult result = Simulation.run(plan(seed));
            messages += result.messages();
            if (!result.defects().isEmpty()) {
                failed.add(result);
            }
        }
        assertThat(failed).isEmpty();
        assertThat(messages).isGreaterThan(10_000);
    }

    @Test
    void shouldGoTheSameWayForTheSameSeedAndAnotherWayForAnother() {
        for (int seed = 200; seed < 206; seed++) {
            final SimulationResult first = Simulation.run(plan(seed));
            assertThat(Simulation.run(plan(seed))).isEqualTo(first);
            assertThat(Simulation.run(plan(seed + 70)).eventHash()).isNotEqualTo(first.eventHash());
        }
    }

    /** The value holds on every JDK and machine. A change of the engine or of the workload changes it. */
    @Test
    void shouldGoTheSameWayAsBefore() {
        assertThat(Long.toHexString(Simulation.run(plan(1)).eventHash())).isEqualTo("8afc73a4bde7c2c9");
    }

    @Test
    void shouldSimulateOneNodeAndMany() {
        for (final int nodes : new int[] {1, 40}) {
            final SimulationResult result = Simulation.run(new SimulationPlan(5, nodes, 40 * nodes, Workload.MIXED, EnumSet.allOf(Fault.class)));
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
