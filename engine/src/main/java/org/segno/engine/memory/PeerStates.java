package org.segno.engine.memory;

import org.segno.engine.memory.NodeLayout.Part;

/**
 * States of a node's peers, and a count of their changes. The only writer is the membership thread of the node's
 * process. Readers are the engine and all waiting threads.
 *
 * <pre>
 *  offset  length  field     meaning                                           written by    access
 *       0       8  changes   count of changes, stored after the state          membership    release
 *       8       8  hub       0 connected, 1 lost                               membership    release
 *      16     112  reserved
 *     128    8 x n states    {@link #JOINED}, {@link #LEFT}, {@link #DEAD}     membership    release
 * </pre>
 */
public final class PeerStates {
    public static final int JOINED = 0;
    public static final int LEFT = 1;
    public static final int DEAD = 2;

    private static final int HUB_OFFSET = 8;

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

    /** Returns the count of changes of this record. A waiter compares it, and reads the states only after a change. */
    public long changesAcquire() {
        return memory.getLongAcquire(base);
    }

    /** Returns the state of a rank, or {@link #JOINED} for a word that is not a state. */
    public int stateAcquire(int rank) {
        final long state = wordAcquire(rank);
        return state == LEFT ? LEFT : state == DEAD ? DEAD : JOINED;
    }

    /** Returns the word of a rank's state in the file without validation, for tools. */
    public long wordAcquire(int rank) {
        return memory.getLongAcquire(stateOffset(rank));
    }

    public boolean isDead(int rank) {
        return wordAcquire(rank) == DEAD;
    }

    /** Returns true if a rank is dead whose word lies at {@link #stateOffset} in the node's half. */
    public static boolean isDead(Memory owner, long stateOffset) {
        return owner.getLongAcquire(stateOffset) == DEAD;
    }

    public boolean hasLeft(int rank) {
        return stateAcquire(rank) == LEFT;
    }

    /** Returns true once the hub is gone. No further deaths are reported then, so every wait fails. */
    public boolean isHubLost() {
        return memory.getLongAcquire(base + HUB_OFFSET) != 0;
    }

    /**
     * Changes the state of a rank. The first change is final: a rank that left does not die, and a dead one does not
     * leave. Called by the membership thread.
     */
    public void change(int rank, int state) {
        if (stateAcquire(rank) == JOINED) {
            memory.putLongRelease(stateOffset(rank), state);
            announce();
        }
    }

    /** Records the loss of the hub. Called by the membership thread. */
    public void loseHub() {
        memory.putLongRelease(base + HUB_OFFSET, 1);
        announce();
    }

    private void announce() {
        memory.putLongRelease(base, memory.getLong(base) + 1);
    }

    /** Returns the offset of a rank's word in the node's half, for {@link #isDead(Memory, long)} in a loop. */
    public long stateOffset(int rank) {
        return base + NodeLayout.PEER_STATES_HEADER_LENGTH + (long) rank * Long.BYTES;
    }
}
