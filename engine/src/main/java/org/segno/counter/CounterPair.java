package org.segno.counter;

import org.segno.memory.NodeMemory;

/**
 * Two reception counters over two sets of slots, used in turn: what keeps a sender that runs a round ahead from completing the
 * wrong round. Generation g uses counter and set {@code g & 1}.
 */
public final class CounterPair implements LocalCounter {
    private final ReceptionCounter even;
    private final ReceptionCounter odd;
    private final long evenOffset;
    private final long oddOffset;

    CounterPair(ReceptionCounter even, ReceptionCounter odd, long evenOffset, long oddOffset) {
        this.even = even;
        this.odd = odd;
        this.evenOffset = evenOffset;
        this.oddOffset = oddOffset;
    }

    /** The counter of a generation. */
    public ReceptionCounter counter(long generation) {
        return (generation & 1) == 0 ? even : odd;
    }

    /** Offset in the window, in bytes, of the slots of a generation: where its data lie. */
    public long offset(long generation) {
        return (generation & 1) == 0 ? evenOffset : oddOffset;
    }

    /** Id of the even counter; the odd one's is the next. */
    @Override
    public int id() {
        return even.id();
    }

    @Override
    public int incarnation() {
        return even.incarnation();
    }

    /** Owner: one more pattern arms both counters. */
    public void arm() {
        even.arm();
        odd.arm();
    }

    /** Owner: a pattern that armed them is gone. */
    public void disarm() {
        even.disarm();
        odd.disarm();
    }

    @Override
    public void requireOf(NodeMemory node) {
        if (!even.isIn(node.peers())) {
            throw node.foreign(this, even.rank());
        }
        // Both are closed together.
        even.requireOf(node);
    }

    /** Bytes of each set. */
    public long length() {
        return even.length();
    }

    @Override
    public String toString() {
        return "counter pair " + even.id() + ", " + odd.id();
    }
}
