package org.segno.transport.aeron;

import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.Header;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.MemoryView;
import org.segno.engine.packet.Frame;
import org.segno.link.FrameHandler;

/**
 * Image of one stream of a link. Frames are received where Aeron has put them. Only the first image is received: one
 * that came after it would begin behind a gap.
 */
final class ReceiveStream implements ControlledFragmentHandler {
    private static final long NO_END = Long.MAX_VALUE;

    private final Subscription subscription;
    private final LinkAccess access;
    private final LinkSizes sizes;
    private final int stream;
    private final MemoryView view;
    private @Nullable Image image;
    private @Nullable FrameHandler handler;
    private @Nullable Throwable thrown;
    private boolean isStopped;
    private boolean isMalformed;

    /** Bytes that the last poll with a frame has taken. */
    private long bytes;

    /** Datagrams of the driver up to which this stream contains nothing that was not taken. */
    private long taken;

    ReceiveStream(Subscription subscription, LinkAccess access, int stream, MemoryView view) {
        this.subscription = subscription;
        this.access = access;
        this.sizes = access.sizes();
        this.stream = stream;
        this.view = view;
    }

    /** Returns true once the peer sends this stream. */
    boolean hasBegun() {
        if (image == null && subscription.imageCount() > 0) {
            final Image first = subscription.imageAtIndex(0);
            isMalformed = first.mtuLength() != sizes.mtu()
                    || first.termBufferLength() != sizes.termLength(stream)
                    || first.joinPosition() != 0;
            image = first;
        }
        return image != null;
    }

    /** Returns true if the stream has ended, or has begun and is lost. What has been received may still be polled. */
    boolean hasEnded() {
        final Image first = image;
        return isMalformed || (first != null && (first.isClosed() || isAtEnd()));
    }

    /** Returns true if the peer has ended the stream. */
    boolean isAtEnd() {
        final Image first = image;
        return first != null && first.endOfStreamPosition() != NO_END;
    }

    /** Returns true if a frame was malformed, or the stream has other sizes than this end. */
    boolean isMalformed() {
        return isMalformed;
    }

    /** Returns true if nothing can be polled any more. */
    boolean isFinished() {
        final Image first = image;
        return first == null || first.isClosed();
    }

    /**
     * Passes received frames on. Without a datagram since the last poll the image is not looked at.
     *
     * @param logged number of the last datagram of the driver that is in its log, read before
     */
    int poll(FrameHandler frames, int limit, long logged) {
        final Image first = image;
        if (access.lastDatagram(stream) <= taken || first == null || isMalformed) {
            return 0;
        }
        handler = frames;
        isStopped = false;
        int count = 0;
        final long begin = first.position();
        // A poll of an image ends with the term.
        for (long from = -1; count < limit && !isStopped && first.position() != from; ) {
            from = first.position();
            count += first.controlledPoll(this, limit - count);
        }
        bytes = first.position() - begin;
        if (count < limit && !isStopped) {
            taken = logged;
        }
        if (thrown != null) {
            rethrow();
        }
        return count;
    }

    /** Returns the bytes that the last poll with a frame has taken from the log. */
    long bytes() {
        return bytes;
    }

    private void rethrow() {
        final Throwable cause = thrown;
        thrown = null;
        if (cause instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) cause;
    }

    @Override
    public Action onFragment(DirectBuffer buffer, int offset, int length, Header header) {
        isMalformed = length < Frame.LENGTH
                || length > sizes.frameLimit()
                || length % Frame.ALIGNMENT != 0
                || offset + length > buffer.capacity()
                || header.flags() != FrameDescriptor.UNFRAGMENTED;
        if (isMalformed || !accept(buffer.addressOffset() + offset, length)) {
            isStopped = true;
            return Action.ABORT;
        }
        return Action.CONTINUE;
    }

    /** Passes a frame on. The image would skip the frame of a handler that throws. */
    private boolean accept(long address, int length) {
        view.move(address, length);
        try {
            return handler != null && handler.onFrame(view.memory(), 0, length);
        } catch (RuntimeException | Error e) {
            thrown = e;
            return false;
        }
    }

    void close() {
        subscription.close();
    }
}
