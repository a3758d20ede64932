package org.segno.engine.fifo;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeLayout;
import org.segno.engine.memory.NodeLayout.Part;
import org.segno.engine.memory.NodeMemory;

/** The engine's view of the count of changes to the FIFO settings of one context. Used by one thread. */
public final class FifoAnnouncements {
    private final Memory memory;
    private final long offset;
    private long seen;

    public FifoAnnouncements(NodeMemory node, int context) {
        this.memory = node.owner();
        this.offset = node.layout().offset(Part.ANNOUNCEMENTS) + (long) context * NodeLayout.LINE_PAIR;
    }

    /** Returns true if {@link #changed} would return true now. */
    public boolean isPending() {
        return memory.getLongAcquire(offset) != seen;
    }

    /** Returns true once after one or more changes. The changed settings are then visible. */
    public boolean changed() {
        final long count = memory.getLongAcquire(offset);
        if (count == seen) {
            return false;
        }
        seen = count;
        return true;
    }
}
