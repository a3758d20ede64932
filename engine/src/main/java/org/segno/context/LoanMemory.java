package org.segno.context;

import org.segno.memory.Window;

/**
 * Range of a window of this node for a loan that cannot lie at its target. The publication is an ordinary PUT or SEND,
 * which reads it. Used by the thread that holds the context.
 */
final class LoanMemory {
    private final Window window;
    private final long offset;
    private final int length;

    /** Position of the descriptor that reads it last, or -1. */
    private long readAt = -1;

    LoanMemory(Window window, long offset, int length) {
        this.window = window;
        this.offset = offset;
        this.length = length;
    }

    Window window() {
        return window;
    }

    /** Returns its offset in the window. */
    long offset() {
        return offset;
    }

    /** Returns its length in bytes. */
    int length() {
        return length;
    }

    /** Returns its offset in the node's arena. */
    long base() {
        return window.base() + offset;
    }

    /** Records that the descriptor at {@code position} reads it. */
    void readAt(long position) {
        readAt = position;
    }

    /** Returns true until the engine has carried out the descriptor that reads it last. */
    boolean isRead(Context context) {
        return readAt >= 0 && !context.isCarriedOut(readAt);
    }
}
