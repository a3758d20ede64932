package org.segno.transport.aeron;

import org.agrona.concurrent.NanoClock;

/**
 * Clock of a driver, which can be moved forward: what Aeron sends after a time without traffic then leaves in the next
 * pass. Set by the thread that runs the driver.
 */
final class DriverClock implements NanoClock {
    private final NanoClock base;
    private long skippedNs;

    DriverClock(NanoClock base) {
        this.base = base;
    }

    void skip(long durationNs) {
        skippedNs += durationNs;
    }

    @Override
    public long nanoTime() {
        return base.nanoTime() + skippedNs;
    }
}
