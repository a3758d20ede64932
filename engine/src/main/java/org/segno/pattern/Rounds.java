package org.segno.pattern;

/** The rule by which the rounds of a pattern are kept apart at its receivers. */
public enum Rounds {
    /**
     * Every target is a pair of counters over two sets of slots, used alternately, so that a sender may be one round
     * ahead of its receiver, but no more. This suffices if each receiver also sends to its sender in every round, and
     * the sender's pattern expects that. A round of the sender is then complete, and the next one may start, only when
     * the receiver has started it, too, and has therefore finished the one before.
     *
     * <b>It does not suffice for data that flow in one direction only.</b> A round that expects nothing is complete
     * when it is executed, so nothing delays its sender. Round g + 2 lands in the slots of round g, read or not, and
     * counts the same counter down. No error is reported: the receiver's round completes, and it reads the values of
     * another round. An example is a ring in which every rank sends only to its right neighbour, and thus receives from
     * its left neighbour but not from its receiver.
     *
     * <p>The remedy is to give the sender <em>credits</em>. Its pattern expects, at a pair of its own over 0 bytes of a
     * window, as many counts as it has receivers. It then calls {@code waitUntil} for that pair at or below zero, and
     * sends. Each receiver's pattern expects the data and sends {@code count} -1 to that pair, which frees the slots of
     * this round. An alternative is a barrier between the reading of a round and the start of the next but one.
     */
    ALTERNATE,

    /**
     * A single set of slots suffices, because the application starts no round before its receivers have read the last
     * one. It may use a barrier for this.
     */
    ORDERED_BY_CALLER
}
