package org.segno.memory;

import org.segno.memory.NodeLayout.Part;

/**
 * What a node knows of its peers, and how many changes it has seen. One writer, the membership thread of the node's process;
 * read by everybody who waits and by the engine.
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

    public int size() {
        return size;
    }

    /** How often anything here has changed: a wait compares it and looks closer only then. */
    public long changesAcquire() {
        return memory.getLongAcquire(base);
    }

    /** Returns the state of a rank; {@link #JOINED} for a word that is no state. */
    public int stateAcquire(int rank) {
        final long state = wordAcquire(rank);
        return state == LEFT ? LEFT : state == DEAD ? DEAD : JOINED;
    }

    /** Tools: returns the word of a rank's state as it is in the file, not validated. */
    public long wordAcquire(int rank) {
        return memory.getLongAcquire(stateOffset(rank));
    }

    public boolean isDead(int rank) {
        return stateAcquire(rank) == DEAD;
    }

    public boolean hasLeft(int rank) {
        return stateAcquire(rank) == LEFT;
    }

    /** True once the hub is gone: nobody will be told of deaths any more, so every wait fails. */
    public boolean isHubLost() {
        return memory.getLongAcquire(base + HUB_OFFSET) != 0;
    }

    /** Membership thread. Death is final: a rank that left does not die, and a dead one does not leave. */
    public void change(int rank, int state) {
        if (stateAcquire(rank) == JOINED) {
            memory.putLongRelease(stateOffset(rank), state);
            announce();
        }
    }

    /** Membership thread. */
    public void loseHub() {
        memory.putLongRelease(base + HUB_OFFSET, 1);
        announce();
    }

    private void announce() {
        memory.putLongRelease(base, memory.getLong(base) + 1);
    }

    private long stateOffset(int rank) {
        return base + NodeLayout.PEER_STATES_HEADER_LENGTH + (long) rank * Long.BYTES;
    }
}
