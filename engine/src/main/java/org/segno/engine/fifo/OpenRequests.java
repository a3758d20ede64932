package org.segno.engine.fifo;

/** Requests that a FIFO has sent over links, and that have no reply. Used by the engine's thread. */
public final class OpenRequests {
    private int count;
    private int kind;

    void sent(int ofKind) {
        count++;
        kind = ofKind;
    }

    /** Records that one was answered or refused. */
    void answered() {
        count--;
    }

    /** Returns true if all have been answered. */
    public boolean isEmpty() {
        return count == 0;
    }

    /**
     * Returns true while requests of another kind have no reply. Peers serve those of one kind in order; anything else
     * could overtake them, or use what they fetch.
     */
    public boolean hasOthers(int ofKind) {
        return count != 0 && ofKind != kind;
    }
}
