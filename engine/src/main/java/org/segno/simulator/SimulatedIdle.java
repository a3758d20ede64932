package org.segno.simulator;

import org.agrona.concurrent.IdleStrategy;

/**
 * Idle strategy of a node's waits: the other nodes go on meanwhile. A {@link WaitingProgram} ends its step; otherwise
 * the other nodes have their turns within the pause.
 */
final class SimulatedIdle implements IdleStrategy {
    /** Number of passes with work after which time goes on: the node may wait for nothing else. */
    private static final int BUSY_PASSES = 64;

    private final Scheduler scheduler;
    private final SimulatedNode node;
    private int busyPasses;

    SimulatedIdle(Scheduler scheduler, SimulatedNode node) {
        this.scheduler = scheduler;
        this.node = node;
    }

    @Override
    public void idle(int workCount) {
        busyPasses = workCount == 0 ? 0 : busyPasses + 1;
        final WaitingProgram program = WaitingProgram.current();
        if (workCount > 0 && program != null) {
            program.worked();
        }
        if (workCount == 0 || busyPasses == BUSY_PASSES) {
            idle();
        }
    }

    @Override
    public void idle() {
        busyPasses = 0;
        final WaitingProgram program = WaitingProgram.current();
        if (program == null) {
            scheduler.pause(node);
        } else {
            program.pause();
        }
    }

    @Override
    public void reset() {
        // Each pause is as long as the node's idle time.
    }
}
