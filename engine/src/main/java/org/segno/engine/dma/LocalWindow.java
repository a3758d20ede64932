package org.segno.engine.dma;

import org.segno.engine.landing.Landing;
import org.segno.engine.memory.WindowTable;
import org.segno.status.Refusal;

/**
 * A window of this node in which a descriptor has a range: its source or, for REMOTE_GET, RMW and COPY, its target. It
 * contains the only check of such a range. Used only by the engine's thread.
 */
final class LocalWindow {
    private final WindowTable windows;
    private long base;
    private long length = WindowTable.NO_WINDOW;

    LocalWindow(WindowTable windows) {
        this.windows = windows;
    }

    /** Opens the window with an id. Returns {@link Landing#LANDED}, or the code for an id that is not a window. */
    int open(int window) {
        length = windows.open(window);
        base = windows.base();
        return length == WindowTable.NO_WINDOW ? Refusal.NO_SUCH_WINDOW.code() : Landing.LANDED;
    }

    /** Opens the window with an id and checks a range in it. */
    int open(int window, long offset, long bytes) {
        final int opened = open(window);
        return opened == Landing.LANDED ? check(offset, bytes) : opened;
    }

    /** Returns {@link Landing#LANDED} if the open window covers a range, otherwise the code of the reason. */
    int check(long offset, long bytes) {
        if (bytes < 0) {
            return Refusal.BAD_LENGTH.code();
        }
        return admits(offset, bytes) ? Landing.LANDED : Refusal.SOURCE_OUT_OF_BOUNDS.code();
    }

    /**
     * Returns true if the open window covers {@code bytes} at {@code offset}. The number of bytes must not be negative.
     */
    boolean admits(long offset, long bytes) {
        return covers(length, offset, bytes);
    }

    /** Returns true if a window of this length covers a range, as {@link #admits} does for the open one. */
    static boolean covers(long windowLength, long offset, long bytes) {
        return offset >= 0 && offset <= windowLength - bytes;
    }

    /**
     * Returns true if two ranges are covered by their windows. The last possible offset of each range is given; it is
     * negative if the range does not fit. One comparison checks the signs of both.
     */
    static boolean areWithin(long offset, long last, long otherOffset, long otherLast) {
        return (offset | otherOffset) >= 0 && offset <= last && otherOffset <= otherLast;
    }

    /** Returns the last offset at which the open window covers {@code bytes}. It is negative if it covers none. */
    long last(int bytes) {
        return length - bytes;
    }

    /** Returns the offset of the open window in the arena. */
    long base() {
        return base;
    }

    /** Returns the length of the open window in bytes. */
    long length() {
        return length;
    }
}
