package org.segno.simulator;

/**
 * Two ranks of a job that send each other many requests at the same time. There is at most one such pair, so that not
 * all lanes of a job are full at once, and most of its operations remain others.
 */
final class Burst {
    /** Requests of each of both: more than a lane, the link and a FIFO for replies with few slots hold. */
    private static final int REQUESTS = 32;

    private final Ledger ledger;
    private int one;
    private int other;

    /** Requests that each has yet to send. */
    private int ofOne;

    private int ofOther;

    Burst(Ledger ledger) {
        this.ledger = ledger;
    }

    /** Lets two ranks begin, unless others have not ended. */
    void begin(int rank, int peer) {
        if (rank != peer && !isOpen()) {
            one = rank;
            other = peer;
            ofOne = REQUESTS;
            ofOther = REQUESTS;
        }
    }

    private boolean isOpen() {
        return (ofOne > 0 || ofOther > 0) && !ledger.isLost(one, other);
    }

    /** Returns the rank to which a rank has yet to send a request, or -1. */
    int peer(int rank) {
        if (!isOpen()) {
            return -1;
        }
        return rank == one && ofOne > 0 ? other : rank == other && ofOther > 0 ? one : -1;
    }

    /** Counts a request of a rank. */
    void sent(int rank) {
        if (rank == one) {
            ofOne--;
        } else {
            ofOther--;
        }
    }

    /** Ends the requests of a rank. */
    void end(int rank) {
        ofOne = rank == one ? 0 : ofOne;
        ofOther = rank == other ? 0 : ofOther;
    }
}
