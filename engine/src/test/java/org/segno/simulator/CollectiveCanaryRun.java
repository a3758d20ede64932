package org.segno.simulator;

import java.util.List;
import java.util.function.LongFunction;

/** Runs the simulation of collectives of a seed and returns the defects that it finds. Loaded once for each canary. */
public final class CollectiveCanaryRun implements LongFunction<List<String>> {
    private static final int STEPS = 40;
    private static final int FEWEST_NODES = 2;
    private static final int NODES = 7;

    @Override
    public List<String> apply(long seed) {
        return defects(seed, Workload.COLLECTIVES);
    }

    static List<String> defects(long seed, Workload workload) {
        final int nodes = FEWEST_NODES + (int) (seed % NODES);
        return Simulation.run(new SimulationPlan(seed, nodes, STEPS * nodes, workload, Fault.swarm(seed)))
                .defects();
    }
}
