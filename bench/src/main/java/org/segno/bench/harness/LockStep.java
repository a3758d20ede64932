package org.segno.bench.harness;

import org.segno.bench.experiment.Role;

/** Barrier of the two workers. The parent ends a worker without a peer, so the wait needs no deadline. */
final class LockStep {
    private static final int SPINS = 10_000;

    private final ControlBlock control;
    private final Role role;
    private long step;

    LockStep(ControlBlock control, Role role) {
        this.control = control;
        this.role = role;
    }

    /**
     * Waits until both workers have called it equally often. The writes of each before the call are then visible to the
     * other.
     */
    @SuppressWarnings("ThreadPriorityCheck") // Yielding to the scheduler is intended: the JIT needs this core.
    void meet() {
        step++;
        control.stepRelease(role, step);
        int spins = 0;
        while (control.stepAcquire(role.other()) < step) {
            // Spin first: usually the other worker arrives soon.
            if (++spins > SPINS) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
