package org.segno.engine.landing;

import java.util.Arrays;
import org.segno.engine.doorbell.Ringer;
import org.segno.engine.memory.Memory;
import org.segno.engine.metrics.Metric;
import org.segno.engine.metrics.NodeMetrics;

/**
 * Nodes in whose memory an engine has landed something in its present pass, as far as their waiters park at doorbells.
 * The engine rings at the end of the pass. Used only by the engine's thread.
 *
 * <p>A full fence separates the landed data from the check whether a waiter is parked. It is executed once for a pass,
 * and only if a target has a doorbell: a job whose waits never park does not pay for it.
 */
public final class Arrivals {
    private final Memory memory;
    private final Ringer ringer;
    private final NodeMetrics metrics;
    private TargetBells[] targets = new TargetBells[8];
    private int count;

    /**
     * Creates the arrivals of one engine.
     *
     * @param memory any memory of the engine's node
     * @param ringer wakes parked waiters
     * @param metrics counts of the engine
     */
    public Arrivals(Memory memory, Ringer ringer, NodeMetrics metrics) {
        this.memory = memory;
        this.ringer = ringer;
        this.metrics = metrics;
    }

    /** Adds a target that is not among the arrivals. */
    void add(TargetBells target) {
        if (count == targets.length) {
            // Each target is added once in a pass, so that the array has its final length soon.
            targets = Arrays.copyOf(targets, 2 * count);
        }
        targets[count++] = target;
    }

    /** Wakes every parked waiter for which something may have landed since the last call. */
    public void ring() {
        if (count == 0) {
            return;
        }
        memory.fullFence();
        while (count > 0) {
            targets[--count].ring(this);
        }
    }

    void ring(int rank, int context) {
        metrics.add(ringer.ring(rank, context) ? Metric.RINGS : Metric.FAILED_RINGS, 1);
    }
}
