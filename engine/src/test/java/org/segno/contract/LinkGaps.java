package org.segno.contract;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Behaviours that nodes do not have yet, each with the observed difference. A behaviour of this list must fail where
 * the list names it; when it passes, its line is deleted.
 */
final class LinkGaps {
    /** Behaviours that differ over links. */
    private static final Map<Integer, String> OVER_LINKS = Map.ofEntries(
            Map.entry(8, "the PUT lands before the GET reads"),
            Map.entry(9, "the bytes are used before they are fetched"),
            Map.entry(12, "the GET reads the word of the later PUT"),
            Map.entry(28, "requests of other FIFOs wait in the link behind the notice that has no room"),
            Map.entry(41, "the fence ends while bytes are in the link"),
            Map.entry(42, "a position is carried out while its bytes are in the link"),
            Map.entry(43, "the message completes while it is in the link, and is lost with it"),
            Map.entry(45, "the round is executed while its bytes are in the link"),
            Map.entry(50, "the wait succeeds, and replays continue"),
            Map.entry(72, "requests wait in the link behind the message that has no room"),
            Map.entry(73, "the link is full of short SENDs whenever the long one looks for room"),
            Map.entry(75, "a linked peer's names are never found"),
            Map.entry(76, "a linked peer's names are never found"),
            Map.entry(86, "bytes in the link are counted as sent when it fails"),
            Map.entry(87, "the failed link ends no wait of the receiver"));

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
