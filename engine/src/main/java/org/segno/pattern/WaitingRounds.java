package org.segno.pattern;

import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.FifoMetadata;

/**
 * Rounds of patterns with a WAIT that may not be executed yet, queued ones included. Their number is limited to the
 * runs that the engine can set aside, so that none of them ever delays another. Used by one thread.
 */
final class WaitingRounds {
    private final @Nullable Pattern[] patterns = new Pattern[FifoMetadata.MAX_HELD_RUNS];
    private final long[] rounds = new long[FifoMetadata.MAX_HELD_RUNS];
    private int count;

    boolean hasRoom() {
        for (int i = count - 1; i >= 0; i--) {
            final Pattern pattern = patterns[i];
            if (pattern == null || pattern.executedAcquire() >= rounds[i]) {
                count--;
                patterns[i] = patterns[count];
                rounds[i] = rounds[count];
                patterns[count] = null;
            }
        }
        return count < patterns.length;
    }

    /** Adds a round. The caller has checked for room. */
    void add(Pattern pattern, long round) {
        patterns[count] = pattern;
        rounds[count] = round;
        count++;
    }
}
