package org.segno.transport.aeron;

import org.segno.engine.memory.Memory;
import org.segno.link.FrameHandler;
import org.segno.link.Link;
import org.segno.link.LinkState;

/**
 * End of a link that takes a step after each action that sends something: it runs the drivers of both ends, as the
 * engines of both nodes would.
 */
final class SteppedLink implements Link {
    private final AeronLink link;
    private final Runnable step;
    private boolean isCommitted;

    SteppedLink(AeronLink link, Runnable step) {
        this.link = link;
        this.step = step;
    }

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
    public boolean hasRoom(int stream, long bytes) {
        return link.hasRoom(stream, bytes);
    }

    @Override
    public long claim(int stream, int length) {
        final long frame = link.claim(stream, length);
        if (frame == NO_ROOM) {
            // An engine without room polls, which runs the driver: the news of room have to be received.
            step.run();
        }
        return frame;
    }

    @Override
    public Memory memory() {
        return link.memory();
    }

    @Override
    public void commit(int stream) {
        link.commit(stream);
        isCommitted = true;
    }

    @Override
    public void flush() {
        link.flush();
        if (isCommitted) {
            isCommitted = false;
            step.run();
        }
    }

    @Override
    public int poll(int stream, FrameHandler handler, int limit) {
        final int frames = link.poll(stream, handler, limit);
        if (frames != 0) {
            step.run();
        }
        return frames;
    }

    @Override
    public void close() {
        link.close();
        step.run();
    }
}
