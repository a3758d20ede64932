package org.segno.contract;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Behaviours that nodes do not have yet, each with the observed difference. A behaviour of this list must fail where
 * the list names it; when it passes, its line is deleted.
 */
final class LinkGaps {
    /** Behaviours that differ over links. */
    private static final Map<Integer, String> OVER_LINKS = Map.of();

    private LinkGaps() {}

    /** Returns the difference of a behaviour in one pairing, or null if it has none. */
    static @Nullable String difference(Behaviour behaviour, Pairing pairing) {
        return pairing.isLinked(behaviour.all()) ? OVER_LINKS.get(behaviour.number()) : null;
    }

    /** Returns the difference of a behaviour in any pairing, or null if it has none. */
    static @Nullable String difference(int number) {
        return OVER_LINKS.get(number);
    }
}
