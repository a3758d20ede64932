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
     * which hears from its left and not from its receiver. Give the sender <em>credits</em>: in its pattern it
     * expects, at a pair of its own made over 0 bytes of a window, as many as it has receivers, then {@code waitUntil} that pair is at
     * or below zero, then sends; each receiver's pattern expects the data and sends {@code count} -1 to that pair, which says that the
     * slots of this round are free. Or keep a barrier between the reading of a round and the start of the next but one.
     */
    ALTERNATE,

    /** A single set will do: the application itself starts no round before its receivers have read the last, by a barrier for instance. */
    ORDERED_BY_CALLER
}
