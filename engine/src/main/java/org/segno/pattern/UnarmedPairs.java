package org.segno.pattern;

import java.util.List;
import org.segno.memory.CounterPair;
import org.segno.memory.MemoryAccess;

/**
 * Pairs at which a pattern expects bytes without ARMs. The values that their counters must reach follow from the
 * pattern's own rounds, so no other pattern may count them down.
 */
final class UnarmedPairs {
    private UnarmedPairs() {}

    /**
     * Checks that no round of one of the patterns, or of a closed one, has counted a pair down.
     *
     * @throws IllegalStateException if one has; the message names it
     */
    static void requireUncounted(CounterPair pair, List<Pattern> patterns) {
        for (final Pattern known : patterns) {
            if (known.generation() != 0 && known.falls(pair)) {
                throw counted(pair, "rounds of " + known + " have");
            }
        }
        if (MemoryAccess.hasFallen(pair)) {
            throw counted(pair, "a pattern that is closed has");
        }
    }

    private static IllegalStateException counted(CounterPair pair, String counter) {
        return new IllegalStateException(counter + " counted down " + pair
                + ", which no other pattern can use then: close the exchange of this pair, and open it again");
    }

    /**
     * Closes the patterns that expect bytes at the same pairs, before one of another {@code id} does. None of them has
     * counted a pair down: {@link #requireUncounted}.
     */
    static void closeOthers(Recorder.Threshold[] unarmed, List<Pattern> patterns, int id) {
        for (final Recorder.Threshold each : unarmed) {
            final CounterPair pair = (CounterPair) each.counter();
            for (final Pattern known : patterns) {
                if (known.id() != id && known.falls(pair)) {
                    known.close();
                }
            }
        }
    }
}
