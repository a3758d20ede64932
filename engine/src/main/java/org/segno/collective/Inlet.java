package org.segno.collective;

import org.segno.engine.memory.NodeLayout;

/**
 * A counter pair of each member, over the memory in which messages of other members land, or which they read. All
 * members of a collective have the same inlets, numbered by the order in which a schedule creates them; a member at
 * which nothing arrives has none of that number.
 *
 * @param number from 0
 * @param kind of memory
 * @param length of the memory in bytes
 * @param expected bytes, or counts, that arrive in each round
 */
public record Inlet(int number, Memory kind, long length, long expected) {
    /** Memory of an inlet. */
    enum Memory {
        /** No memory: only counts arrive. */
        NONE,

        /** Two sets of the collective's own slots, used by rounds in turn. */
        SLOTS,

        /** The member's result, a single set. Others write it only after the member's count of the round. */
        TARGET,

        /** The member's contribution, a single set, which others read. Nothing arrives. */
        SOURCE
    }

    /** Returns true if this member has the inlet. */
    boolean isOpen() {
        return kind == Memory.SOURCE ? length != 0 : expected != 0;
    }

    /** Returns true for few bytes in slots, which lie in the cache lines of the pair's values. */
    boolean isInLine() {
        return kind == Memory.SLOTS && length <= NodeLayout.COUNTER_MEMORY_LENGTH;
    }

    /** Returns the place of the data that have landed in this round. */
    public Place place() {
        return new Place(Place.Region.INLET, number, 0);
    }
}
