package org.segno.simulator;

import java.util.List;

/**
 * The outcome of a simulation.
 *
 * @param plan what was simulated
 * @param messages messages that handlers received
 * @param virtualNs virtual time from the first operation until everything was complete
 * @param eventHash hash of all events, the same for each run of the plan
 * @param checks number of checks made: of messages, windows, counters and completions
 * @param found what the checks have found, the first ones of each; empty if everything is as it must be
 */
public record SimulationResult(
        SimulationPlan plan, long messages, long virtualNs, long eventHash, long checks, List<Defect> found) {
    public SimulationResult {
        found = List.copyOf(found);
    }

    /** Returns the texts of all defects. */
    public List<String> defects() {
        return found.stream().map(Defect::text).toList();
    }
}
