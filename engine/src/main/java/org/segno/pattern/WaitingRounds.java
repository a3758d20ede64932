package org.segno.pattern;

import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fifo.FifoMetadata;

/**
 * Places of the rounds that the engine may have to set aside: those with a WAIT, and queued ones. There are as many
 * places as runs that it can set aside, so that none of them ever delays another. A pattern keeps its places after its
 * rounds until others need them, so that a start of the same pattern reads nothing here. Used by one thread.
 */
final class WaitingRounds {
    private static final int PLACES = FifoMetadata.MAX_HELD_RUNS;

    /** The patterns that have places. */
    private final @Nullable Pattern[] holders = new Pattern[PLACES];

    private int count;
    private int taken;

    /**
     * Ensures that a pattern has places for this number of rounds: the one that is about to start, and those of its
     * rounds in progress that have a WAIT. Returns false if there is no room for them.
     */
    boolean take(Pattern pattern, int rounds) {
        return pattern.places() >= rounds || takeMore(pattern, rounds);
    }

    private boolean takeMore(Pattern pattern, int rounds) {
        if (taken + rounds - pattern.places() > PLACES) {
            freeUnused();
        }
        final int had = pattern.places();
        if (taken + rounds - had > PLACES) {
            return false;
        }
        if (had == 0) {
            holders[count] = pattern;
            count++;
        }
        pattern.places(rounds);
        taken += rounds - had;
        return true;
    }

    private void freeUnused() {
        for (int i = count - 1; i >= 0; i--) {
            final Pattern pattern = Objects.requireNonNull(holders[i]);
            final int had = pattern.places();
            final int used = Math.min(had, pattern.unexecuted());
            pattern.places(used);
            taken -= had - used;
            if (used == 0) {
                count--;
                holders[i] = holders[count];
                holders[count] = null;
            }
        }
    }
}
