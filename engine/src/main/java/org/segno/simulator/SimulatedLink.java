package org.segno.simulator;

import org.segno.engine.memory.Memory;
import org.segno.link.FrameHandler;
import org.segno.link.Link;
import org.segno.link.LinkState;

/** One end of a simulated link. */
final class SimulatedLink implements Link {
    private final int rank;
    private final VirtualTime time;
    private final LinkModel model;
    private final Wire outgoing;
    private final Wire incoming;
    private final Arrivals arrivals;
    private boolean isDown;

    /** Receives the time at which a rank has something to do. */
    @FunctionalInterface
    interface Arrivals {
        void arrives(int rank, long atNs);
    }

    /** Creates the end of the link that leads to {@code rank}. */
    SimulatedLink(int rank, VirtualTime time, LinkModel model, Wire outgoing, Wire incoming, Arrivals arrivals) {
        this.rank = rank;
        this.time = time;
        this.model = model;
        this.outgoing = outgoing;
        this.incoming = incoming;
        this.arrivals = arrivals;
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public LinkState state() {
        return isDown ? LinkState.DOWN : LinkState.UP;
    }

    @Override
    public int frameLimit() {
        return model.frameLimit();
    }

    @Override
    public long capacity(int stream) {
        return (long) model.frames() * model.frameLimit();
    }

    @Override
    public long room(int stream) {
        return outgoing.room(stream);
    }

    @Override
    public boolean hasRoom(int stream, long bytes) {
        return outgoing.hasRoom(stream, bytes);
    }

    @Override
    public long claim(int stream, int length) {
        final long offset = isDown ? NO_ROOM : outgoing.claim(stream, length);
        return offset < 0 ? NO_ROOM : offset;
    }

    @Override
    public Memory memory() {
        return outgoing.memory();
    }

    @Override
    public void commit(int stream) {
        arrivals.arrives(rank, outgoing.commit(stream));
    }

    @Override
    public void flush() {
        // A commit has sent its frame.
    }

    @Override
    public int poll(int stream, FrameHandler handler, int limit) {
        final int frames = incoming.poll(stream, handler, limit);
        if (frames > 0 && incoming.hasRefused()) {
            arrivals.arrives(rank, time.nowNs());
        }
        return frames;
    }

    /** Fails this end for good. Frames that have not arrived are lost. */
    void fail() {
        isDown = true;
        incoming.cut();
    }

    @Override
    public void close() {
        // A node that leaves does not cut its links: what it has sent still arrives.
    }
}
