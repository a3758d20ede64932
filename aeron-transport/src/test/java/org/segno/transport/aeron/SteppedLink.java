package org.segno.transport.aeron;

import java.util.List;
import org.segno.engine.memory.Memory;
import org.segno.link.FrameHandler;
import org.segno.link.Link;
import org.segno.link.LinkState;

/** End of a link that runs the drivers of both ends, as the engines of both nodes would, after each of its actions. */
record SteppedLink(AeronLink link, List<AeronDriver> drivers) implements Link {
    @Override
    public int rank() {
        return link.rank();
    }

    @Override
    public LinkState state() {
        return link.state();
    }

    @Override
    public int frameLimit() {
        return link.frameLimit();
    }

    @Override
    public long capacity(int stream) {
        return link.capacity(stream);
    }

    @Override
    public long room(int stream) {
        return link.room(stream);
    }

    @Override
    public long claim(int stream, int length) {
        return link.claim(stream, length);
    }

    @Override
    public Memory memory() {
        return link.memory();
    }

    @Override
    public void commit(int stream) {
        link.commit(stream);
    }

    @Override
    public void flush() {
        link.flush();
        LinkEnds.step(drivers);
    }

    @Override
    public int poll(int stream, FrameHandler handler, int limit) {
        final int frames = link.poll(stream, handler, limit);
        LinkEnds.step(drivers);
        return frames;
    }

    @Override
    public void close() {
        link.close();
        LinkEnds.step(drivers);
    }
}
