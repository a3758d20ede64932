package org.segno.pattern;

/** What keeps the rounds of a pattern apart at its receivers. */
public enum Rounds {
    /**
     * Every target is a pair of counters over two sets of slots, used in turn. Enough where each receiver also sends to its sender
     * in every round.
     */
    ALTERNATE,

    /** A single set: the application orders the rounds itself, by a barrier for instance. */
    ORDERED_BY_CALLER
}
