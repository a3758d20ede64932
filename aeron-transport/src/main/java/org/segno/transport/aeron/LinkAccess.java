package org.segno.transport.aeron;

import io.aeron.logbuffer.LogBufferDescriptor;
import java.util.concurrent.atomic.AtomicLongArray;
import org.segno.engine.packet.Frame;

/** Properties of one direction of a link, by which each end recognizes the datagrams of the other. */
final class LinkAccess {
    private final LinkKey key;
    private final LinkSizes sizes;
    private final Refusals refusals;
    private final int[] initialTermIds = new int[Frame.STREAMS];

    /** By stream, the number of its last datagram among those of the driver, or 0. */
    private final AtomicLongArray lastDatagrams = new AtomicLongArray(Frame.STREAMS);

    /** Creates the access with counts of the datagrams that this end drops. */
    LinkAccess(LinkKey key, LinkSizes sizes, Refusals refusals) {
        this.key = key;
        this.sizes = sizes;
        this.refusals = refusals;
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            initialTermIds[stream] = key.initialTermId(stream);
        }
    }

    LinkKey key() {
        return key;
    }

    LinkSizes sizes() {
        return sizes;
    }

    Refusals refusals() {
        return refusals;
    }

    /** Returns the stream with one of Aeron's ids, and -1 if a link has no such stream. */
    static int stream(int id) {
        return id > 0 && id <= Frame.STREAMS ? id - 1 : -1;
    }

    /** Returns Aeron's id of a stream. */
    static int id(int stream) {
        return stream + 1;
    }

    /**
     * Records that datagram {@code number} of the driver belongs to a stream. It is in the log of the stream when the
     * pass of the driver ends. Within turns of the driver.
     */
    void received(int stream, long number) {
        lastDatagrams.setRelease(stream, number);
    }

    /** Returns the number of the last datagram of a stream, or 0. Any thread. */
    long lastDatagram(int stream) {
        return lastDatagrams.getAcquire(stream);
    }

    int initialTermId(int stream) {
        return initialTermIds[stream];
    }

    /** Returns the position in a stream, below zero for a term before the first one. */
    long position(int stream, int termId, int termOffset) {
        final int shift = LogBufferDescriptor.positionBitsToShift(sizes.termLength(stream));
        return ((long) (termId - initialTermIds[stream]) << shift) + termOffset;
    }
}
