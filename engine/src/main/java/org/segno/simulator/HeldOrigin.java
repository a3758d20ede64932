package org.segno.simulator;

/**
 * Refusal of the requests of one rank, the origin, by the handler of another rank, the holder. It ends when all earlier
 * messages of a third rank have arrived at the holder. This checks that a refused message does not hold other origins.
 *
 * <p>There is at most one in a job, so that no two of them wait for each other.
 */
final class HeldOrigin {
    private static final int NOBODY = -1;

    private final Ledger ledger;
    private int holder = NOBODY;
    private int origin;
    private int other;

    /** Number of the message of the other rank behind the last one that is awaited. */
    private long before;

    HeldOrigin(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Holds the requests of an origin until those of another have arrived, if any are on their way. */
    void begin(int rank, int held, int third) {
        if (!isTaken() && held != third && ledger.isMissing(third, rank, ledger.next(third, rank, Ledger.MESSAGES))) {
            holder = rank;
            origin = held;
            other = third;
            before = ledger.next(third, rank, Ledger.MESSAGES);
        }
    }

    /** Returns true while a rank does not accept the requests of an origin. */
    boolean holds(int rank, int from) {
        return isTaken() && holder == rank && origin == from;
    }

    private boolean isTaken() {
        if (holder != NOBODY && (ledger.isLost(holder, holder) || !ledger.isMissing(other, holder, before))) {
            holder = NOBODY;
        }
        return holder != NOBODY;
    }
}
