package org.segno.engine.memory;

import org.segno.engine.memory.NodeLayout.Part;

/**
 * States of a node's peers, and a count of their changes. The membership thread of the node's process stores what the
 * hub reports; an engine stores what it learns from a link. Readers are the engines and all waiting threads.
 *
 * <p>A state takes one byte. Eight of them share a word, which its writers change by compare-and-set.
 *
 * <pre>
 *  offset  length  field     meaning                                           written by           access
 *       0       8  changes   count of changes, added to after the state        membership, engines  atomic add
 *       8       8  hub       0 connected, 1 lost                               membership           release
 *      16     112  reserved
 *     128    1 x n states    {@link #JOINED}, {@link #LEFT}, {@link #DEAD},    membership, engines  compare-and-set
 *                            {@link #CUT}
 * </pre>
 */
public final class PeerStates {
    public static final int JOINED = 0;
    public static final int LEFT = 1;
    public static final int DEAD = 2;

    /** State of a rank that lives, but the link to it has failed. For this node it is as lost as a dead rank. */
    public static final int CUT = 3;

    private static final int HUB_OFFSET = 8;
    private static final int STATE_MASK = 0xFF;

    private final Memory memory;
    private final long base;
    private final int size;

    public PeerStates(NodeMemory node) {
        this.memory = node.owner();
        this.base = node.layout().offset(Part.PEER_STATES);
        this.size = node.layout().dimensions().size();
    }

    /** Returns the node's half, in which the states lie. */
    public Memory memory() {
        return memory;
    }

    public int size() {
        return size;
    }

    /**
     * Returns the offset of the word of {@link #changesAcquire} in the node's half. A caller that reads this word
     * before each round keeps the offset, so that it need not read this object, too.
     */
    public long changesOffset() {
        return base;
    }

    /** Returns the count of changes of this record. A waiter compares it, and reads the states only after a change. */
    public long changesAcquire() {
        return memory.getLongAcquire(base);
    }

    /** Returns the state of a rank, or {@link #JOINED} for a byte that is not a state. */
    public int stateAcquire(int rank) {
        final int state = byteAcquire(rank);
        return state >= LEFT && state <= CUT ? state : JOINED;
    }

    /** Returns the byte of a rank's state in the file without validation, for tools. */
    public int byteAcquire(int rank) {
        return stateIn(memory.getLongAcquire(wordOffset(rank)), rank);
    }

    /** Returns true if a rank has died, or the link to it has failed: nothing more comes from it. */
    public boolean isDead(int rank) {
        return isLost(byteAcquire(rank));
    }

    /** Returns true if a rank is dead by the word at its {@link #wordOffset}. For a check before every operation. */
    public static boolean isDead(long word, int rank) {
        return isLost(stateIn(word, rank));
    }

    /** Returns true if a rank is dead or has left by the word at its {@link #wordOffset}. */
    public static boolean isGone(long word, int rank) {
        final int state = stateIn(word, rank);
        return state >= LEFT && state <= CUT;
    }

    private static boolean isLost(int state) {
        return state == DEAD || state == CUT;
    }

    /** Describes how this node has lost a rank that {@link #isDead}. For messages. */
    public String loss(int rank) {
        return byteAcquire(rank) == CUT ? "the link to rank " + rank + " has failed" : "rank " + rank + " has died";
    }

    public boolean hasLeft(int rank) {
        return byteAcquire(rank) == LEFT;
    }

    /** Returns true once the hub is gone. No further deaths are reported then, so every wait fails. */
    public boolean isHubLost() {
        return memory.getLongAcquire(base + HUB_OFFSET) != 0;
    }

    /**
     * Changes the state of a rank. The first change is final: a rank that left does not die, and a dead one does not
     * leave. Any thread.
     */
    public void change(int rank, int state) {
        final long offset = wordOffset(rank);
        long word;
        do {
            word = memory.getLongAcquire(offset);
            if (stateIn(word, rank) != JOINED) {
                return;
            }
        } while (!memory.compareAndSetLong(offset, word, word | (long) state << shift(rank)));
        announce();
    }

    /** Records the loss of the hub. Called by the membership thread. */
    public void loseHub() {
        memory.putLongRelease(base + HUB_OFFSET, 1);
        announce();
    }

    private void announce() {
        memory.getAndAddLong(base, 1);
    }

    /** Returns the offset in the node's half of the word that contains a rank's state. */
    public long wordOffset(int rank) {
        return base + NodeLayout.PEER_STATES_HEADER_LENGTH + (rank & -Long.BYTES);
    }

    private static int stateIn(long word, int rank) {
        return (int) (word >>> shift(rank)) & STATE_MASK;
    }

    /** Returns the position of a rank's byte in its word: eight bits for each rank below it. */
    private static int shift(int rank) {
        return (rank & (Long.BYTES - 1)) * Byte.SIZE;
    }
}
