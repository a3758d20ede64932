package org.segno.collective;

/** What a member knows of the rounds of a collective, for tests of other packages. */
public final class KnownRounds {
    private KnownRounds() {}

    /** Returns the last round that is known to be complete at this member, or 0. */
    public static long complete(Collective collective) {
        return collective.completeRound();
    }
}
