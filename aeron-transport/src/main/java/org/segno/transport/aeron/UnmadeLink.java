package org.segno.transport.aeron;

import org.segno.engine.memory.Memory;
import org.segno.engine.memory.MemoryView;
import org.segno.engine.packet.Frame;
import org.segno.link.FrameHandler;
import org.segno.link.Link;
import org.segno.link.LinkState;

/** End of a link that is down from the start, because it or the other end could not be made. */
final class UnmadeLink implements Link {
    private final int rank;
    private final MemoryView none = new MemoryView(Frame.MAX_LIMIT);

    /** Creates the end of a link to a rank. */
    UnmadeLink(int rank) {
        this.rank = rank;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public LinkState state() {
        return LinkState.DOWN;
    }

    @Override
    public int frameLimit() {
        return Frame.MAX_LIMIT;
    }

    /** Refuses no message for its length: the reason is that the link is down. */
    @Override
    public long capacity(int stream) {
        return Long.MAX_VALUE;
    }

    @Override
    public long room(int stream) {
        return 0;
    }

    @Override
    public long claim(int stream, int length) {
        return NO_ROOM;
    }

    @Override
    public Memory memory() {
        return none.memory();
    }

    @Override
    public void commit(int stream) {
        // Nothing is claimed.
    }

    @Override
    public void flush() {
        // Nothing is committed.
    }

    @Override
    public int poll(int stream, FrameHandler handler, int limit) {
        return 0;
    }

    @Override
    public void close() {
        // Nothing was made.
    }
}
