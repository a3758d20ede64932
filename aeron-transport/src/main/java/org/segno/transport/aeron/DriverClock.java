package org.segno.transport.aeron;

import org.agrona.concurrent.NanoClock;

/**
 * Clock of a driver, which is read once for each pass: all agents of the driver see the same time. It can be moved
 * forward: what Aeron sends after a time without traffic then leaves in the next pass. Used by the thread that runs the
 * driver.
 */
final class DriverClock implements NanoClock {
    private final NanoClock base;
    private long skippedNs;
    private long nowNs;

    DriverClock(NanoClock base) {
        this.base = base;
        update();
    }

    /** Reads the time, for the next pass. */
    void update() {
        nowNs = base.nanoTime() + skippedNs;
    }

    void skip(long durationNs) {
        skippedNs += durationNs;
        nowNs += durationNs;
    }

    @Override
    public long nanoTime() {
        return nowNs;
    }
}
