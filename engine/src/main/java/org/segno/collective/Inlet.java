package org.segno.collective;

/**
 * A counter pair of each member, over the memory in which messages of other members land. All members of a collective
 * have the same inlets, numbered by the order in which a schedule creates them; a member at which nothing arrives has
 * none of that number.
 *
 * @param number from 0
 * @param kind where the memory lies
 * @param length of the memory in bytes
 * @param expected bytes, or counts, that arrive in each round
 */
public record Inlet(int number, Memory kind, long length, long expected) {
    /** Where an inlet lies. */
    enum Memory {
        /** No memory: only counts arrive. */
        NONE,

        /** Two sets of the collective's own slots, used by rounds in turn. */
        SLOTS,

        /** The member's result: one set, which nobody writes before the member says that it has begun the round. */
        TARGET
    }

    /** Returns what lands, as a place of the round. */
    public Place place() {
        return new Place(Place.Region.INLET, number, 0);
    }
}
