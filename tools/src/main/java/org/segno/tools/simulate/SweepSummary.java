package org.segno.tools.simulate;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.segno.simulator.SimulationResult;

/** Sums over the results of seeds, which it receives in the order of the seeds. */
final class SweepSummary implements Consumer<SimulationResult> {
    /** Failing seeds that are listed. */
    private static final int LISTED = 16;

    private static final long PRIME = 0x100000001b3L;

    private final CheckChoice checked;
    private final List<SimulationResult> failures = new ArrayList<>();
    private long seeds;
    private long failed;
    private long messages;
    private long virtualNs;
    private long checks;
    private long eventHash;

    SweepSummary(CheckChoice checked) {
        this.checked = checked;
    }

    @Override
    public void accept(SimulationResult result) {
        eventHash = seeds == 0 ? result.eventHash() : combined(eventHash, result.eventHash());
        seeds++;
        messages += result.messages();
        virtualNs += result.virtualNs();
        checks += result.checks();
        if (!checked.defects(result).isEmpty()) {
            failed++;
            if (failures.size() < LISTED) {
                failures.add(result);
            }
        }
    }

    private static long combined(long earlier, long next) {
        return (Long.rotateLeft(earlier, Byte.SIZE) ^ next) * PRIME;
    }

    long seeds() {
        return seeds;
    }

    /** Returns the number of seeds with a defect. */
    long failed() {
        return failed;
    }

    /** Returns the results of the first seeds with a defect. */
    List<SimulationResult> failures() {
        return failures;
    }

    long messages() {
        return messages;
    }

    long virtualNs() {
        return virtualNs;
    }

    long checks() {
        return checks;
    }

    /** Returns the event hash of a single seed, or one over the event hashes of all seeds. */
    long eventHash() {
        return eventHash;
    }
}
