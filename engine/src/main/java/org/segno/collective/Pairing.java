package org.segno.collective;

/**
 * Members of which some of the first ones are in pairs, so that a power of two is active: of each pair, the second
 * member gives its contribution to the first one, and takes no part until it receives its result. Active members have
 * positions in the order of the members. Thakur, Rabenseifner, Gropp: Optimization of collective communication
 * operations in MPICH, 2005.
 *
 * @param self this member
 * @param active number of active members, a power of two
 * @param paired the first members up to this one are in pairs
 */
record Pairing(int self, int active, int paired) {
    static Pairing of(Shape shape) {
        final int active = Integer.highestOneBit(shape.members());
        return new Pairing(shape.self(), active, 2 * (shape.members() - active));
    }

    /** Returns true if this member gives its contribution to the one before it. */
    boolean isGiver() {
        return self < paired && (self & 1) == 1;
    }

    /** Returns true if this member takes the contribution of the next one. */
    boolean isTaker() {
        return isInPair(self) && !isGiver();
    }

    boolean isInPair(int member) {
        return member < paired;
    }

    /** Returns the position of this member, or of the one that it gives its contribution to. */
    int position() {
        return position(self);
    }

    /** Returns the position of a member, or of the one that it gives its contribution to. */
    int position(int member) {
        return isInPair(member) ? member / 2 : member - paired / 2;
    }

    /** Returns the active member of a position. */
    int member(int position) {
        return position < paired / 2 ? 2 * position : position + paired / 2;
    }
}
