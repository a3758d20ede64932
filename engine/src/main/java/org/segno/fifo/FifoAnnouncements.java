package org.segno.fifo;

import org.segno.memory.Memory;
import org.segno.memory.NodeLayout;
import org.segno.memory.NodeLayout.Part;
import org.segno.memory.NodeMemory;

/** The engine's view of a context's count of changes to its FIFO settings. One thread. */
public final class FifoAnnouncements {
    private final Memory memory;
    private final long offset;
    private long seen;

    public FifoAnnouncements(NodeMemory node, int context) {
        this.memory = node.owner();
        this.offset = node.layout().offset(Part.ANNOUNCEMENTS) + (long) context * NodeLayout.LINE_PAIR;
    }

    /** True once after one or more changes: their settings are visible. */
    public boolean changed() {
        final long count = memory.getLongAcquire(offset);
        if (count == seen) {
            return false;
        }
        seen = count;
        return true;
    }
}
