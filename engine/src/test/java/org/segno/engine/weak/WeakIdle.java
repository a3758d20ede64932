package org.segno.engine.weak;

import org.segno.engine.work.ParkingIdle;

/** Idle strategy of a model's threads. It parks at a doorbell, if there is one, without spinning. */
final class WeakIdle implements ParkingIdle {
    private final WeakModel model;

    WeakIdle(WeakModel model) {
        this.model = model;
    }

    @Override
    public boolean isParkDue() {
        return true;
    }

    @Override
    public long nextParkNs() {
        return Long.MAX_VALUE;
    }

    @Override
    public void idle(int workCount) {
        if (workCount <= 0) {
            idle();
        }
    }

    @Override
    public void idle() {
        model.pause();
    }

    @Override
    public void reset() {
        // It has no state.
    }
}
