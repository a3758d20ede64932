package org.segno.transport.aeron;

import io.aeron.Aeron;
import io.aeron.AeronCounters;
import io.aeron.ExclusivePublication;
import io.aeron.logbuffer.BufferClaim;
import io.aeron.protocol.DataHeaderFlyweight;
import org.agrona.concurrent.status.CountersReader;
import org.segno.engine.memory.MemoryView;

/**
 * Publication of one stream of a link. It admits no frame that the receiver's window does not admit, so that everything
 * committed can leave.
 */
final class SendStream {
    private final ExclusivePublication publication;
    private final LinkSizes sizes;
    private final CountersReader counters;
    private final int sentPosition;
    private final int windowLimit;

    private SendStream(ExclusivePublication publication, LinkSizes sizes, Aeron aeron) {
        this.publication = publication;
        this.sizes = sizes;
        this.counters = aeron.countersReader();
        final long id = publication.registrationId();
        this.sentPosition = counters.findByTypeIdAndRegistrationId(AeronCounters.DRIVER_SENDER_POSITION_TYPE_ID, id);
        this.windowLimit = counters.findByTypeIdAndRegistrationId(AeronCounters.DRIVER_SENDER_LIMIT_TYPE_ID, id);
    }

    static SendStream over(ExclusivePublication publication, LinkSizes sizes, Aeron aeron) {
        final SendStream stream = new SendStream(publication, sizes, aeron);
        if (stream.sentPosition == CountersReader.NULL_COUNTER_ID
                || stream.windowLimit == CountersReader.NULL_COUNTER_ID) {
            throw new IllegalStateException("the driver has no counters for " + publication.channel());
        }
        return stream;
    }

    boolean isClosed() {
        return publication.isClosed();
    }

    /** Returns true while the peer receives this stream. */
    boolean isConnected() {
        return publication.isConnected();
    }

    /** Returns the bytes of frames that can be claimed. */
    long room() {
        final long position = publication.position();
        final long free = free(position);
        return free <= 0 ? 0 : sizes.room(free, end(position));
    }

    /** Returns the bytes that the window admits, none or less if the publication is closed. */
    private long free(long position) {
        return Math.min(publication.positionLimit(), counters.getCounterValue(windowLimit)) - position;
    }

    /** Returns the bytes to the end of the term. A term that has just ended is the next one. */
    private long end(long position) {
        final int length = publication.termBufferLength();
        return length - (position & (length - 1));
    }

    /**
     * Claims a frame and moves the view to it. Returns false if there is no room, or if the stream can never have room
     * again, after which the publication {@link #isAtEnd}.
     */
    boolean tryClaim(int length, BufferClaim claim, MemoryView view) {
        final long position = publication.position();
        final long end = end(position);
        final int logged = LinkSizes.logged(length);
        if (free(position) < (logged <= end ? logged : end + logged)) {
            return false;
        }
        long claimed = publication.tryClaim(length, claim);
        if (claimed == ExclusivePublication.ADMIN_ACTION) {
            // The rest of the term was too short and is filled now.
            claimed = publication.tryClaim(length, claim);
        }
        if (claimed < 0) {
            return false;
        }
        view.move(claim.buffer().addressOffset() + DataHeaderFlyweight.HEADER_LENGTH, length);
        return true;
    }

    /** Returns true if the stream has reached the last position that Aeron can count. */
    boolean isAtEnd() {
        return publication.position() + 2L * publication.termBufferLength() > publication.maxPossiblePosition();
    }

    /** Returns the bytes that have not left. */
    long unsent() {
        return publication.position() - counters.getCounterValue(sentPosition);
    }

    /** Ends the stream once everything has left. */
    void close() {
        publication.close();
    }
}
