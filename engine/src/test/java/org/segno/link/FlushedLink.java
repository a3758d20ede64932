package org.segno.link;

import static java.util.Objects.requireNonNull;

import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;

/**
 * End of a link that delivers a committed frame only after the next flush, as late as {@link Link} permits. So a frame
 * that nobody flushes never arrives. Replies can arrive later than what was sent after them in other streams, as over a
 * network, which does not order its streams.
 */
public final class FlushedLink implements Link, FrameHandler {
    /** Polls by which late replies are delayed. */
    private static final int LATE = 4;

    private final Link link;

    /** Replies that had arrived at each of the last polls for them. */
    private final long[] replies;

    private int replyPolls;

    /** Frames that this end and its peer have flushed, by stream. */
    private final AtomicLongArray flushed;

    private final AtomicLongArray arrived;
    private final long[] committed = new long[Frame.STREAMS];
    private final long[] taken = new long[Frame.STREAMS];
    private int polled;
    private @Nullable FrameHandler handler;
    private long flushes;

    private FlushedLink(Link link, int delay, AtomicLongArray flushed, AtomicLongArray arrived) {
        this.link = link;
        this.replies = new long[delay];
        this.flushed = flushed;
        this.arrived = arrived;
    }

    /** Returns both ends of a link, from those of a link that delivers a frame earlier. */
    public static FlushedLink[] over(Link[] ends) {
        return over(ends, 0);
    }

    /** Returns the same, with replies that arrive some polls later. */
    public static FlushedLink[] withLateReplies(Link[] ends) {
        return over(ends, LATE);
    }

    private static FlushedLink[] over(Link[] ends, int delay) {
        final AtomicLongArray there = new AtomicLongArray(Frame.STREAMS);
        final AtomicLongArray back = new AtomicLongArray(Frame.STREAMS);
        return new FlushedLink[] {
            new FlushedLink(ends[0], delay, there, back), new FlushedLink(ends[1], delay, back, there)
        };
    }

    /** Returns the number of flushes of this end. */
    public long flushes() {
        return flushes;
    }

    /** Returns the number of frames that this end has committed. */
    public long committed() {
        long all = 0;
        for (final long ofStream : committed) {
            all += ofStream;
        }
        return all;
    }

    /** Returns the number of committed frames of this end that wait for a flush. */
    public long unflushed() {
        long all = committed();
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            all -= flushed.get(stream);
        }
        return all;
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
        committed[stream]++;
    }

    @Override
    public void flush() {
        flushes++;
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            flushed.set(stream, committed[stream]);
        }
        link.flush();
    }

    @Override
    public int poll(int stream, FrameHandler frames, int limit) {
        polled = stream;
        handler = frames;
        return link.poll(stream, this, (int) Math.min(limit, ready(stream) - taken[stream]));
    }

    private long ready(int stream) {
        final long now = arrived.get(stream);
        if (stream != Frame.REPLIES || replies.length == 0) {
            return now;
        }
        final int oldest = replyPolls++ % replies.length;
        final long ready = replies[oldest];
        replies[oldest] = now;
        return ready;
    }

    @Override
    public boolean onFrame(Memory memory, long offset, int length) {
        final boolean isTaken = requireNonNull(handler).onFrame(memory, offset, length);
        taken[polled] += isTaken ? 1 : 0;
        return isTaken;
    }

    @Override
    public void close() {
        link.close();
    }
}
