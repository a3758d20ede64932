package org.segno.transport.aeron;

import org.agrona.concurrent.NanoClock;

/** Clock that stands still until a test moves it. */
final class ManualClock implements NanoClock {
    private long ns = 1_000_000_000L;

    void advance(long durationNs) {
        ns += durationNs;
    }

    @Override
    public long nanoTime() {
        return ns;
    }
}
