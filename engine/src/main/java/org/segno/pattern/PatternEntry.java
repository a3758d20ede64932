package org.segno.pattern;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;

/**
 * Entry of a recorded pattern in the node's file, for tools. It locates the pattern's section. It is written when the
 * pattern is recorded and when its section is freed, never by a replay.
 *
 * <pre>
 *  offset  length  field   meaning                                                            written by   access
 *       0       4  id      under which it was recorded; below zero where it was only prepared  application  plain
 *       4       4  first   first slot of its section                                          application  plain
 *       8       8  extent  slots in bits 0 to 30, ARMs among them, at its end, in bits 31      application  release
 *                          to 61, those that are not executed included, above them
 *                          {@link #NONE}, {@link #ORDERED_BY_CALLER}, {@link #ALTERNATE}
 *      16          PATTERN_ENTRY_LENGTH
 * </pre>
 */
public final class PatternEntry {
    /** State without a pattern. Any other state means a pattern, which may be closed and still in progress. */
    public static final int NONE = 0;

    public static final int ORDERED_BY_CALLER = 1;
    public static final int ALTERNATE = 2;

    private static final int FIRST_OFFSET = 4;
    private static final int EXTENT_OFFSET = 8;
    private static final int ARMS_SHIFT = 31;
    private static final int STATE_SHIFT = 62;

    private PatternEntry() {}

    /** Returns the offset of a pattern's entry in the owner's half. */
    public static long offset(NodeMemory node, int context, int index) {
        final NodeLayout layout = node.layout();
        return layout.offset(Part.PATTERN_TABLE)
                + ((long) context * layout.dimensions().patterns() + index) * NodeLayout.PATTERN_ENTRY_LENGTH;
    }

    static void write(Memory owner, long offset, Pattern pattern) {
        clear(owner, offset);
        owner.putInt(offset, pattern.id());
        owner.putInt(offset + FIRST_OFFSET, pattern.first());
        final long state = pattern.rounds() == Rounds.ALTERNATE ? ALTERNATE : ORDERED_BY_CALLER;
        owner.putLongRelease(
                offset + EXTENT_OFFSET,
                pattern.descriptors() | ((long) pattern.arms() << ARMS_SHIFT) | (state << STATE_SHIFT));
    }

    static void clear(Memory owner, long offset) {
        owner.putLongRelease(offset + EXTENT_OFFSET, NONE);
    }

    /**
     * Returns the word that holds everything except the id and the first slot. It must be read before those. All values
     * read from an entry are untrusted.
     */
    public static long extent(Memory owner, long offset) {
        return owner.getLongAcquire(offset + EXTENT_OFFSET);
    }

    /** Returns the state of the entry: none, or the rule by which rounds are kept apart. */
    public static int state(long extent) {
        return (int) (extent >>> STATE_SHIFT);
    }

    /** Returns the number of descriptors in the section. */
    public static int slots(long extent) {
        return (int) extent & Integer.MAX_VALUE;
    }

    /** Returns the number of ARMs among them. */
    public static int arms(long extent) {
        return (int) (extent >>> ARMS_SHIFT) & Integer.MAX_VALUE;
    }

    /** Returns the id under which the pattern was recorded. */
    public static int id(Memory owner, long offset) {
        return owner.getInt(offset);
    }

    /** Returns the first slot of the section. */
    public static int first(Memory owner, long offset) {
        return owner.getInt(offset + FIRST_OFFSET);
    }
}
