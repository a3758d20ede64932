package org.segno.pattern;

/** What keeps the rounds of a pattern apart at its receivers. */
public enum Rounds {
    /**
     * Every target is a pair of counters over two sets of slots, used in turn, so that a sender may be one round ahead of its receiver,
     * and no more. Enough where each receiver also sends to its sender in every round and the sender's pattern expects it: then a round
     * of the sender is complete, and the next one may start, only when the receiver has started it too, done with the one before.
     *
     * <p><b>Where data flow one way it is not enough.</b> A round that expects nothing is complete when it is executed, so nothing holds
     * its sender back: round g + 2 lands in the slots of round g, read or not, and counts the same counter down. Nobody is told; the
     * receiver's round completes, and it reads another round's values. So it is in a ring where every rank sends to its right alone,
     * which hears from its left and not from its receiver. Let each receiver answer in its round, by a {@code count} of -1 that the
     * sender expects at a pair of its own, or keep a barrier between the reading of a round and the start of the next but one.
     */
    ALTERNATE,

    /** A single set will do: the application itself starts no round before its receivers have read the last, by a barrier for instance. */
    ORDERED_BY_CALLER
}
