package org.segno.bench.harness;

import org.segno.bench.experiment.Role;

/** A barrier of the two workers. A worker whose peer is gone is ended by the parent, so the wait needs no deadline. */
final class LockStep {
    private static final int SPINS = 10_000;

    private final ControlBlock control;
    private final Role role;
    private long step;

    LockStep(ControlBlock control, Role role) {
        this.control = control;
        this.role = role;
    }

    /** Returns when both workers have called it as often; what each wrote before is then visible to the other. */
    @SuppressWarnings("ThreadPriorityCheck") // It is the scheduler that is asked: to let the JIT have this core.
    void meet() {
        step++;
        control.stepRelease(role, step);
        int spins = 0;
        while (control.stepAcquire(role.other()) < step) {
            // Spin first: usually the other is near.
            if (++spins > SPINS) {
                Thread.yield();
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
