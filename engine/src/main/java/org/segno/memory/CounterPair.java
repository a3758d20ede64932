package org.segno.memory;

import org.segno.engine.memory.NodeMemory;

/**
 * Two reception counters over two sets of slots, for alternate use. They keep a sender that runs a round ahead from
 * completing the wrong round. Generation g uses counter and set {@code g & 1}.
 */
public final class CounterPair implements LocalCounter, Operand {
    private final ReceptionCounter even;
    private final ReceptionCounter odd;
    private long evenOffset;
    private long oddOffset;

    /** True if rounds of a pattern that did not arm it have counted it down. */
    private boolean hasFallen;

    CounterPair(ReceptionCounter even, ReceptionCounter odd, long evenOffset, long oddOffset) {
        this.even = even;
        this.odd = odd;
        this.evenOffset = evenOffset;
        this.oddOffset = oddOffset;
    }

    /**
     * Places of the two sets in a window, in bytes, for a pair that is enabled again.
     *
     * @param evenOffset of the even set
     * @param oddOffset of the odd set
     * @param length of each
     */
    public record Sets(long evenOffset, long oddOffset, long length) {}

    /** Returns the counter of a generation. */
    public ReceptionCounter counter(long generation) {
        return (generation & 1) == 0 ? even : odd;
    }

    /** Returns the offset in the window, in bytes, of the slots with the data of a generation. */
    public long offset(long generation) {
        return (generation & 1) == 0 ? evenOffset : oddOffset;
    }

    /** Returns the id of the even counter. The odd counter has the next id. */
    @Override
    public int id() {
        return even.id();
    }

    @Override
    public int incarnation() {
        return even.incarnation();
    }

    /** Sets the offsets of its next use. Called by the owner. */
    void offsets(long nextEven, long nextOdd) {
        evenOffset = nextEven;
        oddOffset = nextOdd;
        hasFallen = false;
    }

    /** Records that rounds of a pattern that did not arm it have counted it down. Called by the owner. */
    void fallen() {
        hasFallen = true;
    }

    boolean hasFallen() {
        return hasFallen;
    }

    /**
     * Disables both counters, as {@link ReceptionCounter#disable} does. Called by the owner.
     *
     * @throws org.segno.status.ClosedException if the pair was closed
     */
    public void disable() {
        even.disable();
        odd.disable();
    }

    /** Makes underflow of both counters an error, as {@link ReceptionCounter#forbidUnderflow} does. */
    public void forbidUnderflow() {
        even.forbidUnderflow();
        odd.forbidUnderflow();
    }

    @Override
    public boolean forbidsUnderflow() {
        return even.forbidsUnderflow();
    }

    /** Records that one more pattern arms both counters. Called by the owner. */
    void arm() {
        even.arm();
        odd.arm();
    }

    /** Records that a pattern that armed both counters is gone. Called by the owner. */
    void disarm() {
        even.disarm();
        odd.disarm();
    }

    @Override
    public void requireOf(NodeMemory node) {
        if (!even.isIn(node.values())) {
            throw node.foreign(this, even.rank());
        }
        // Both are closed together.
        even.requireOf(node);
    }

    /** Returns the length of each set in bytes. */
    @Override
    public long length() {
        return even.length();
    }

    @Override
    public String toString() {
        return "counter pair " + even.id() + ", " + odd.id() + even.name();
    }
}
