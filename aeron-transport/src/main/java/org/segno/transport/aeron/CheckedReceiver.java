package org.segno.transport.aeron;

import static io.aeron.logbuffer.FrameDescriptor.FRAME_ALIGNMENT;
import static io.aeron.protocol.DataHeaderFlyweight.HEADER_LENGTH;
import static io.aeron.protocol.DataHeaderFlyweight.SESSION_ID_FIELD_OFFSET;
import static io.aeron.protocol.DataHeaderFlyweight.STREAM_ID_FIELD_OFFSET;
import static io.aeron.protocol.DataHeaderFlyweight.TERM_ID_FIELD_OFFSET;
import static io.aeron.protocol.DataHeaderFlyweight.TERM_OFFSET_FIELD_OFFSET;
import static io.aeron.protocol.HeaderFlyweight.FRAME_LENGTH_FIELD_OFFSET;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_DATA;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_PAD;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_SETUP;
import static io.aeron.protocol.HeaderFlyweight.TYPE_FIELD_OFFSET;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.aeron.driver.DataPacketDispatcher;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.media.ImageConnection;
import io.aeron.driver.media.ReceiveChannelEndpoint;
import io.aeron.driver.media.UdpChannel;
import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.NakFlyweight;
import io.aeron.protocol.SetupFlyweight;
import io.aeron.protocol.StatusMessageFlyweight;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.agrona.BitUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.jspecify.annotations.Nullable;
import org.segno.engine.packet.Frame;

/**
 * Socket with which an end of a link receives. It drops every datagram that the peer did not send, before Aeron has
 * seen it: a frame that is refused later has already taken the place of the real one, and Aeron remembers each unknown
 * session for ever.
 *
 * <p>The peer sets up its streams first. Aeron's message for that equals the expected one in each bit, part of which is
 * secret, and its source is the peer's address from then on. All that follows has a tag: frames, the padding at the end
 * of a term, and heartbeats, with or without the end of the stream. So no forged datagram can take the place of a
 * frame, move a position or end a stream. The reports of this end to the peer have tags, too.
 */
final class CheckedReceiver extends ReceiveChannelEndpoint {
    /** Refused datagrams of a pass. Those that are left wait, so that a flood cannot hold up the driver. */
    private static final int REFUSALS_LIMIT = 16;

    private static final long NO_POSITION = -1;

    private final LinkAccess access;
    private final DriverCounts counts;
    private final FrameTags tags;
    private final UnsafeBuffer datagram = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer[] setups = new UnsafeBuffer[Frame.STREAMS];

    /** Last report of each stream. */
    private final UnsafeBuffer[] reports = new UnsafeBuffer[Frame.STREAMS];

    /** Position of the last report of each stream, at which the window begins. */
    private final long[] reported = new long[Frame.STREAMS];

    /** Position of each stream to which a frame has been received. */
    private final long[] received = new long[Frame.STREAMS];

    private final StatusMessageFlyweight report = new StatusMessageFlyweight();
    private final UnsafeBuffer request =
            new UnsafeBuffer(ByteBuffer.allocateDirect(NakFlyweight.HEADER_LENGTH + FrameTags.LENGTH));
    private final NakFlyweight missing = new NakFlyweight(request);

    /** Address of the peer, once it has set up a stream. */
    private @Nullable InetSocketAddress peer;

    CheckedReceiver(
            UdpChannel channel,
            DataPacketDispatcher dispatcher,
            AtomicCounter statusIndicator,
            MediaDriver.Context context,
            LinkAccess access,
            DriverCounts counts) {
        super(channel, dispatcher, statusIndicator, context);
        this.access = access;
        this.counts = counts;
        this.tags = new FrameTags(access.key());
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            setups[stream] = setup(stream);
            reports[stream] = new UnsafeBuffer(
                    ByteBuffer.allocateDirect(StatusMessageFlyweight.HEADER_LENGTH + FrameTags.LENGTH));
            reported[stream] = NO_POSITION;
        }
    }

    /** Returns the only message with which the peer sets up a stream. */
    private UnsafeBuffer setup(int stream) {
        final UnsafeBuffer message = new UnsafeBuffer(new byte[SetupFlyweight.HEADER_LENGTH]);
        final int termId = access.initialTermId(stream);
        final SetupFlyweight setup = new SetupFlyweight();
        setup.wrap(message, 0, SetupFlyweight.HEADER_LENGTH);
        setup.sessionId(access.key().session())
                .streamId(LinkAccess.id(stream))
                .initialTermId(termId)
                .activeTermId(termId)
                .termLength(access.sizes().termLength(stream))
                .mtuLength(access.sizes().mtu())
                .frameLength(SetupFlyweight.HEADER_LENGTH)
                .headerType(HDR_TYPE_SETUP);
        return message;
    }

    /** Opens the socket at a port of {@link LinkPorts}. */
    @Override
    public void openDatagramChannel(AtomicCounter statusIndicator) {
        // Without the indicator: Aeron accepts no socket for which it has shown an error.
        ((LinkPorts) context.receiverPortManager()).open(() -> super.openDatagramChannel(null));
    }

    /**
     * Receives the next datagram of the peer, if any. A heartbeat that shows nothing new waits for what lies behind it:
     * a pass that receives one datagram receives the frames that have arrived.
     */
    @Override
    public @Nullable InetSocketAddress receive(ByteBuffer buffer) {
        InetSocketAddress waiting = null;
        for (int i = 0; i < REFUSALS_LIMIT; i++) {
            final InetSocketAddress source = super.receive(buffer);
            if (source == null) {
                if (waiting != null) {
                    // It still is in the buffer.
                    buffer.position(HEADER_LENGTH);
                }
                return waiting;
            }
            datagram.wrap(buffer);
            final DatagramRefusal refusal = check(buffer.position(), source);
            waiting = null;
            if (refusal != null) {
                access.refusals().add(refusal, source);
            } else if (isOldHeartbeat()) {
                waiting = source;
            } else {
                counts.received();
                access.received(stream(), counts.datagramsReceived());
                return source;
            }
        }
        return waiting;
    }

    private boolean isOldHeartbeat() {
        if (type(0) != HDR_TYPE_DATA || frameLength(0) != 0 || DataHeaderFlyweight.isEndOfStream(datagram)) {
            return false;
        }
        final int stream = stream();
        final int termId = datagram.getInt(TERM_ID_FIELD_OFFSET, LITTLE_ENDIAN);
        final int termOffset = datagram.getInt(TERM_OFFSET_FIELD_OFFSET, LITTLE_ENDIAN);
        return access.position(stream, termId, termOffset) <= received[stream];
    }

    /** Returns the stream of the datagram, -1 for one that a link does not have. */
    private int stream() {
        return LinkAccess.stream(datagram.getInt(STREAM_ID_FIELD_OFFSET, LITTLE_ENDIAN));
    }

    private @Nullable DatagramRefusal check(int length, InetSocketAddress source) {
        if (length < HEADER_LENGTH) {
            return DatagramRefusal.LENGTH;
        }
        final int stream = stream();
        if (stream < 0
                || datagram.getInt(SESSION_ID_FIELD_OFFSET, LITTLE_ENDIAN)
                        != access.key().session()) {
            return DatagramRefusal.SESSION;
        }
        final int type = type(0);
        if (type == HDR_TYPE_SETUP) {
            return checkSetup(stream, length, source);
        }
        if (type != HDR_TYPE_DATA && type != HDR_TYPE_PAD) {
            return DatagramRefusal.TYPE;
        }
        if (!source.equals(peer)) {
            return DatagramRefusal.ADDRESS;
        }
        return reported[stream] == NO_POSITION ? DatagramRefusal.STATE : checkFrames(stream, length);
    }

    private int type(int offset) {
        return datagram.getShort(offset + TYPE_FIELD_OFFSET, LITTLE_ENDIAN) & 0xFFFF;
    }

    private @Nullable DatagramRefusal checkSetup(int stream, int length, InetSocketAddress source) {
        if (length != SetupFlyweight.HEADER_LENGTH) {
            return DatagramRefusal.LENGTH;
        }
        for (int i = 0; i < SetupFlyweight.HEADER_LENGTH; i += Long.BYTES) {
            if (datagram.getLong(i) != setups[stream].getLong(i)) {
                return DatagramRefusal.SETUP;
            }
        }
        if (peer == null) {
            peer = source;
        }
        if (!source.equals(peer)) {
            return DatagramRefusal.ADDRESS;
        }
        if (reported[stream] == NO_POSITION) {
            return null;
        }
        // The peer has received no report yet.
        repeatReport(stream);
        return DatagramRefusal.STALE;
    }

    private @Nullable DatagramRefusal checkFrames(int stream, int length) {
        final int termId = datagram.getInt(TERM_ID_FIELD_OFFSET, LITTLE_ENDIAN);
        final int termOffset = datagram.getInt(TERM_OFFSET_FIELD_OFFSET, LITTLE_ENDIAN);
        final int termLength = access.sizes().termLength(stream);
        if (termOffset < 0 || termOffset % FRAME_ALIGNMENT != 0 || termOffset > termLength - length) {
            return DatagramRefusal.FRAME;
        }
        final boolean isHeartbeat = frameLength(0) == 0;
        final long position = access.position(stream, termId, termOffset);
        if (position < reported[stream]) {
            return DatagramRefusal.STALE;
        }
        // Aeron's own limit.
        if (position + (isHeartbeat ? 0 : length) > reported[stream] + termLength / 2) {
            return DatagramRefusal.POSITION;
        }
        if (!isHeartbeat) {
            return checkFrames(stream, termId, termOffset, length);
        }
        if (length != HEADER_LENGTH) {
            return DatagramRefusal.LENGTH;
        }
        if (!tags.isRight(datagram, 0, 0)) {
            return DatagramRefusal.TAG;
        }
        repeatReport(stream);
        return null;
    }

    private @Nullable DatagramRefusal checkFrames(int stream, int termId, int termOffset, int length) {
        final int termLength = access.sizes().termLength(stream);
        for (int offset = 0; offset < length; ) {
            // A header that the datagram does not hold is that of an older one. Its length is refused then.
            if (datagram.getInt(offset + SESSION_ID_FIELD_OFFSET, LITTLE_ENDIAN)
                            != access.key().session()
                    || datagram.getInt(offset + STREAM_ID_FIELD_OFFSET, LITTLE_ENDIAN) != LinkAccess.id(stream)
                    || datagram.getInt(offset + TERM_ID_FIELD_OFFSET, LITTLE_ENDIAN) != termId
                    || datagram.getInt(offset + TERM_OFFSET_FIELD_OFFSET, LITTLE_ENDIAN) != termOffset + offset) {
                return DatagramRefusal.FRAME;
            }
            final int frameLength = frameLength(offset);
            final boolean isPadding = type(offset) == HDR_TYPE_PAD;
            // Of padding, the header travels alone, at the end.
            final int limit = isPadding ? termLength - termOffset - offset : length - offset;
            if (frameLength < HEADER_LENGTH || frameLength > limit || (isPadding && offset + HEADER_LENGTH != length)) {
                return DatagramRefusal.FRAME;
            }
            final int bodyLength = isPadding ? 0 : BitUtil.align(frameLength, FRAME_ALIGNMENT) - HEADER_LENGTH;
            if (HEADER_LENGTH + bodyLength > length - offset) {
                return DatagramRefusal.FRAME;
            }
            if (!tags.isRight(datagram, offset, bodyLength)) {
                return DatagramRefusal.TAG;
            }
            offset += HEADER_LENGTH + bodyLength;
            received[stream] = Math.max(received[stream], access.position(stream, termId, termOffset + offset));
        }
        return null;
    }

    private int frameLength(int offset) {
        return datagram.getInt(offset + FRAME_LENGTH_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    /** Sends the last report again: a heartbeat shows that the peer waits, and the report may have been lost. */
    private void repeatReport(int stream) {
        final InetSocketAddress address = peer;
        if (address != null) {
            final ByteBuffer message = reports[stream].byteBuffer();
            message.clear();
            sendTo(message, address);
        }
    }

    /** Sends a report of what was taken, with a tag where Aeron has a receiver's tag. */
    @Override
    public void sendStatusMessage(
            ImageConnection[] connections,
            int session,
            int stream,
            int termId,
            int termOffset,
            int window,
            short flags) {
        final int index = LinkAccess.stream(stream);
        final UnsafeBuffer message = reports[index];
        report.wrap(message, 0, message.capacity());
        report.sessionId(session)
                .streamId(stream)
                .consumptionTermId(termId)
                .consumptionTermOffset(termOffset)
                .receiverWindowLength(window)
                .receiverId(0);
        report.flags(flags).headerType(StatusMessageFlyweight.HDR_TYPE_SM).frameLength(message.capacity());
        tags.append(message, StatusMessageFlyweight.HEADER_LENGTH);
        reported[index] = access.position(index, termId, termOffset);
        message.byteBuffer().clear();
        send(message.byteBuffer(), message.capacity(), connections);
    }

    /** Requests lost frames, with a tag behind Aeron's message. */
    @Override
    public void sendNakMessage(
            ImageConnection[] connections, int session, int stream, int termId, int termOffset, int length) {
        missing.sessionId(session)
                .streamId(stream)
                .termId(termId)
                .termOffset(termOffset)
                .length(length)
                .headerType(NakFlyweight.HDR_TYPE_NAK)
                .frameLength(NakFlyweight.HEADER_LENGTH);
        tags.append(request, NakFlyweight.HEADER_LENGTH);
        request.byteBuffer().clear();
        send(request.byteBuffer(), request.capacity(), connections);
    }
}
