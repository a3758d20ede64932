package org.segno.pattern;

/** What keeps the rounds of a pattern apart at its receivers. */
public enum Rounds {
    /**
     * Every target is a pair of counters over two sets of slots, used in turn. Enough where each receiver also sends to its sender
     * in every round; where data flow one way only, order the rounds yourself.
     */
    ALTERNATE,

    /** A single set will do: the application itself starts no round before its receivers have read the last, by a barrier for instance. */
    ORDERED_BY_CALLER
}
