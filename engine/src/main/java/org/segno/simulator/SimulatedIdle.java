package org.segno.simulator;

import org.agrona.concurrent.IdleStrategy;

/** Idle strategy of a node's waits: the other nodes go on meanwhile. */
record SimulatedIdle(Scheduler scheduler, SimulatedNode node) implements IdleStrategy {
    @Override
    public void idle(int workCount) {
        if (workCount == 0) {
            idle();
        }
    }

    @Override
    public void idle() {
        scheduler.pause(node);
    }

    @Override
    public void reset() {
        // Each pause is as long as the node's idle time.
    }
}
