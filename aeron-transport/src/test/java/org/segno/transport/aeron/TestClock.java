package org.segno.transport.aeron;

import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.NanoClock;

/** Clock that a test moves forward. */
final class TestClock implements NanoClock {
    private final AtomicLong skippedNs = new AtomicLong();

    void skip(long durationNs) {
        skippedNs.addAndGet(durationNs);
    }

    @Override
    public long nanoTime() {
        return System.nanoTime() + skippedNs.get();
    }
}
