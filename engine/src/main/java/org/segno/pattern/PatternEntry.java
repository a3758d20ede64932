package org.segno.pattern;

import org.segno.memory.Memory;
import org.segno.memory.NodeLayout;
import org.segno.memory.NodeLayout.Part;
import org.segno.memory.NodeMemory;

/**
 * What the node's file says of a recorded pattern, for tools: which section is its. Written when it is recorded and when that is given
 * back, never by a replay.
 *
 * <pre>
 *  offset  length  field   meaning                                                            written by   access
 *       0       4  id      under which it was recorded; below zero where it was only prepared  application  plain
 *       4       4  first   first slot of its section                                          application  plain
 *       8       4  slots   descriptors in the section, ARMs among them                        application  plain
 *      12       4  arms    ARM descriptors, at the section's end                              application  plain
 *      16       8  begun   round of the recording, 0 where it was only prepared               application  plain
 *      24       8  state   {@link #NONE}, {@link #ORDERED_BY_CALLER}, {@link #ALTERNATE}        application  release
 *      32          PATTERN_ENTRY_LENGTH
 * </pre>
 */
public final class PatternEntry {
    /** There is no pattern here. Else there is one, which may be closed and be still carried out. */
    public static final int NONE = 0;

    public static final int ORDERED_BY_CALLER = 1;
    public static final int ALTERNATE = 2;

    private static final int FIRST_OFFSET = 4;
    private static final int SLOTS_OFFSET = 8;
    private static final int ARMS_OFFSET = 12;
    private static final int BEGUN_OFFSET = 16;
    private static final int STATE_OFFSET = 24;

    private PatternEntry() {}

    /** Where the entry of a pattern lies in the owner's half. */
    public static long offset(NodeMemory node, int context, int index) {
        final NodeLayout layout = node.layout();
        return layout.offset(Part.PATTERN_TABLE)
                + ((long) context * layout.dimensions().patterns() + index) * NodeLayout.PATTERN_ENTRY_LENGTH;
    }

    static void write(Memory owner, long offset, Pattern pattern) {
        clear(owner, offset);
        owner.putInt(offset, pattern.id());
        owner.putInt(offset + FIRST_OFFSET, pattern.first());
        owner.putInt(offset + SLOTS_OFFSET, pattern.descriptors());
        owner.putInt(offset + ARMS_OFFSET, pattern.arms());
        owner.putLong(offset + BEGUN_OFFSET, pattern.generation());
        owner.putLongRelease(
                offset + STATE_OFFSET, pattern.rounds() == Rounds.ALTERNATE ? ALTERNATE : ORDERED_BY_CALLER);
    }

    static void clear(Memory owner, long offset) {
        owner.putLongRelease(offset + STATE_OFFSET, NONE);
    }

    /** Not trusted, as everything that is read here. */
    public static long state(Memory owner, long offset) {
        return owner.getLongAcquire(offset + STATE_OFFSET);
    }

    /** The id under which it was recorded. */
    public static int id(Memory owner, long offset) {
        return owner.getInt(offset);
    }

    /** First slot of its section. */
    public static int first(Memory owner, long offset) {
        return owner.getInt(offset + FIRST_OFFSET);
    }

    /** Descriptors in its section. */
    public static int slots(Memory owner, long offset) {
        return owner.getInt(offset + SLOTS_OFFSET);
    }

    /** ARMs among them. */
    public static int arms(Memory owner, long offset) {
        return owner.getInt(offset + ARMS_OFFSET);
    }
}
