package org.segno.contract;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Behaviours that nodes do not have yet, each with the observed difference. A behaviour of this list must fail where
 * the list names it; when it passes, its line is deleted.
 */
final class LinkGaps {
    /** Behaviours that differ over links. */
    private static final Map<Integer, String> OVER_LINKS = Map.of(
            28, "requests of other FIFOs wait in the link behind the notice that has no room",
            72, "requests wait in the link behind the message that has no room",
            75, "a linked peer's names are never found",
            76, "a linked peer's names are never found");

    /** Behaviours that fail over mapped memory, too. */
    private static final Map<Integer, String> EVERYWHERE = Map.of(34, "the PUT waits until its event has room");

    private LinkGaps() {}

    /** Returns the difference of a behaviour in one pairing, or null if it has none. */
    static @Nullable String difference(Behaviour behaviour, Pairing pairing) {
        final String everywhere = EVERYWHERE.get(behaviour.number());
        return everywhere == null && pairing.isLinked(behaviour.all())
                ? OVER_LINKS.get(behaviour.number())
                : everywhere;
    }

    /** Returns the difference of a behaviour in any pairing, or null if it has none. */
    static @Nullable String difference(int number) {
        final String everywhere = EVERYWHERE.get(number);
        return everywhere == null ? OVER_LINKS.get(number) : everywhere;
    }
}
