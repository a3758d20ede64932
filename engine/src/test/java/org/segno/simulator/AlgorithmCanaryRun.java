package org.segno.simulator;

import java.util.List;
import java.util.function.LongFunction;

/** Runs the simulation of all algorithms of a seed and returns the defects. Loaded once for each canary. */
public final class AlgorithmCanaryRun implements LongFunction<List<String>> {
    @Override
    public List<String> apply(long seed) {
        return CollectiveCanaryRun.defects(seed, Workload.ALGORITHMS);
    }
}
