package org.segno.pattern;

import java.util.ArrayList;
import org.agrona.collections.ArrayListUtil;
import org.segno.engine.fifo.FifoMetadata;

/**
 * Rounds of patterns with a WAIT that may not be executed yet. Their number is limited to the runs that the engine can
 * set aside, so that none of them ever delays another. Used by one thread.
 */
final class WaitingRounds {
    private final ArrayList<Pattern> patterns = new ArrayList<>(FifoMetadata.MAX_HELD_RUNS);

    boolean hasRoom() {
        for (int i = patterns.size() - 1; i >= 0; i--) {
            final Pattern pattern = patterns.get(i);
            if (pattern.executedAcquire() >= pattern.generation()) {
                ArrayListUtil.fastUnorderedRemove(patterns, i);
            }
        }
        return patterns.size() < FifoMetadata.MAX_HELD_RUNS;
    }

    void add(Pattern pattern) {
        patterns.add(pattern);
    }
}
