package org.segno.engine.counter;

/**
 * Range and sources of a counter.
 *
 * @param window id of the window, or {@link #NO_WINDOW}
 * @param base offset in the arena
 * @param length bytes
 * @param sources {@link CounterSettings#ANYBODY}, {@link CounterSettings#NOBODY}, one rank or a set of {@link RankSets}
 * @param rights flags of {@link CounterSettings}
 */
public record CounterRange(int window, long base, long length, int sources, int rights) {
    /** Window of a counter that covers no window. */
    public static final int NO_WINDOW = -1;
}
