package org.segno.transport.aeron;

import static io.aeron.logbuffer.FrameDescriptor.FRAME_ALIGNMENT;
import static io.aeron.logbuffer.FrameDescriptor.UNFRAGMENTED;
import static io.aeron.protocol.DataHeaderFlyweight.HEADER_LENGTH;
import static io.aeron.protocol.DataHeaderFlyweight.STREAM_ID_FIELD_OFFSET;
import static io.aeron.protocol.DataHeaderFlyweight.TERM_ID_FIELD_OFFSET;
import static io.aeron.protocol.DataHeaderFlyweight.TERM_OFFSET_FIELD_OFFSET;
import static io.aeron.protocol.HeaderFlyweight.FRAME_LENGTH_FIELD_OFFSET;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_DATA;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_NAK;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_PAD;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_SM;
import static io.aeron.protocol.HeaderFlyweight.TYPE_FIELD_OFFSET;
import static java.nio.ByteOrder.LITTLE_ENDIAN;

import io.aeron.driver.MediaDriver;
import io.aeron.driver.media.SendChannelEndpoint;
import io.aeron.driver.media.UdpChannel;
import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.NakFlyweight;
import io.aeron.protocol.StatusMessageFlyweight;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.agrona.BitUtil;
import org.agrona.concurrent.CachedNanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.jspecify.annotations.Nullable;
import org.segno.engine.packet.Frame;

/**
 * Socket with which an end of a link sends. It tags all that leaves but the messages that set up the streams, and drops
 * all that the peer did not send before Aeron has seen it. The system drops datagrams of other addresses, since the
 * socket is connected.
 *
 * <p>If the last datagram is lost, the receiver does not miss it: Aeron shows the end of what was sent by a heartbeat
 * after 100 ms. This socket sends such heartbeats from half a millisecond on, until the peer reports that it has taken
 * everything.
 */
final class CheckedSender extends SendChannelEndpoint {
    /** Refused datagrams of a pass. */
    private static final int REFUSALS_LIMIT = 16;

    /** Time without traffic after which a heartbeat follows. */
    private static final long HEARTBEAT_NS = TimeUnit.MICROSECONDS.toNanos(500);

    /** Heartbeats at this distance. It doubles with each one that follows. */
    private static final int EVEN_HEARTBEATS = 4;

    /** Heartbeats without traffic. After the last one, Aeron's own are more frequent. */
    private static final int HEARTBEATS = EVEN_HEARTBEATS + 7;

    private final LinkAccess access;
    private final DriverCounts counts;
    private final FrameTags tags;
    private final CachedNanoClock clock;
    private final UnsafeBuffer outgoing = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer incoming = new UnsafeBuffer(0, 0);
    private final UnsafeBuffer heartbeat = new UnsafeBuffer(ByteBuffer.allocateDirect(HEADER_LENGTH));
    private final DataHeaderFlyweight header = new DataHeaderFlyweight(heartbeat);
    private final StatusMessageFlyweight report = new StatusMessageFlyweight();
    private final NakFlyweight missing = new NakFlyweight();

    /** Position in each stream to which frames were sent. */
    private final long[] sent = new long[Frame.STREAMS];

    /** Position in each stream to which the peer has taken frames, as far as it has reported that. */
    private final long[] taken = new long[Frame.STREAMS];

    /** Heartbeats of each stream since its last frame, and the time of the next one. */
    private final int[] heartbeats = new int[Frame.STREAMS];

    private final long[] heartbeatNs = new long[Frame.STREAMS];

    CheckedSender(
            UdpChannel channel,
            AtomicCounter statusIndicator,
            MediaDriver.Context context,
            LinkAccess access,
            DriverCounts counts) {
        super(channel, statusIndicator, context);
        this.access = access;
        this.counts = counts;
        this.tags = new FrameTags(access.key());
        this.clock = context.senderCachedNanoClock();
        header.sessionId(access.key().session());
        header.headerType(HDR_TYPE_DATA).flags((short) (UNFRAGMENTED & 0xFF));
    }

    /** Tags the frames of a datagram that leaves, in Aeron's log. */
    @Override
    public void sendHook(ByteBuffer buffer, InetSocketAddress address) {
        counts.sent();
        outgoing.wrap(buffer);
        final int from = buffer.position();
        final int end = buffer.limit();
        final int type = type(outgoing, from);
        if (type != HDR_TYPE_DATA && type != HDR_TYPE_PAD) {
            return;
        }
        if (frameLength(from) == 0) {
            tags.write(outgoing, from, 0);
            return;
        }
        int length = 0;
        for (int offset = from; offset < end; ) {
            final int aligned = BitUtil.align(frameLength(offset), FRAME_ALIGNMENT);
            final int bodyLength = type(outgoing, offset) == HDR_TYPE_PAD ? 0 : aligned - HEADER_LENGTH;
            tags.write(outgoing, offset, bodyLength);
            length += aligned;
            offset += HEADER_LENGTH + bodyLength;
        }
        sent(from, length);
    }

    private static int type(UnsafeBuffer datagram, int offset) {
        return datagram.getShort(offset + TYPE_FIELD_OFFSET, LITTLE_ENDIAN) & 0xFFFF;
    }

    private int frameLength(int offset) {
        return outgoing.getInt(offset + FRAME_LENGTH_FIELD_OFFSET, LITTLE_ENDIAN);
    }

    private void sent(int from, int length) {
        final int stream = LinkAccess.stream(outgoing.getInt(from + STREAM_ID_FIELD_OFFSET, LITTLE_ENDIAN));
        final int termId = outgoing.getInt(from + TERM_ID_FIELD_OFFSET, LITTLE_ENDIAN);
        final int termOffset = outgoing.getInt(from + TERM_OFFSET_FIELD_OFFSET, LITTLE_ENDIAN);
        sent[stream] = Math.max(sent[stream], access.position(stream, termId, termOffset) + length);
        heartbeats[stream] = 0;
        heartbeatNs[stream] = clock.nanoTime() + HEARTBEAT_NS;
    }

    /** Sends the heartbeats that are due. */
    void showSent() {
        final long nowNs = clock.nanoTime();
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            if (sent[stream] > taken[stream] && nowNs - heartbeatNs[stream] >= 0 && heartbeats[stream] < HEARTBEATS) {
                final int count = ++heartbeats[stream];
                heartbeatNs[stream] = nowNs + (HEARTBEAT_NS << Math.max(0, count - EVEN_HEARTBEATS));
                showSent(stream);
            }
        }
    }

    private void showSent(int stream) {
        final int termLength = access.sizes().termLength(stream);
        header.streamId(LinkAccess.id(stream))
                .termId(access.initialTermId(stream) + (int) (sent[stream] / termLength))
                .termOffset((int) (sent[stream] & (termLength - 1)));
        heartbeat.byteBuffer().clear();
        send(heartbeat.byteBuffer());
    }

    /** Receives the next datagram of the peer, if any. */
    @Override
    public @Nullable InetSocketAddress receive(ByteBuffer buffer) {
        for (int i = 0; i < REFUSALS_LIMIT; i++) {
            final InetSocketAddress source = super.receive(buffer);
            if (source == null) {
                return null;
            }
            incoming.wrap(buffer);
            report.wrap(buffer);
            missing.wrap(buffer);
            final DatagramRefusal refusal = check(buffer.position());
            if (refusal == null) {
                return source;
            }
            access.refusals().add(refusal, source);
        }
        return null;
    }

    private @Nullable DatagramRefusal check(int length) {
        final int type = type(incoming, 0);
        if (type == HDR_TYPE_SM) {
            return length != StatusMessageFlyweight.HEADER_LENGTH + FrameTags.LENGTH
                    ? DatagramRefusal.LENGTH
                    : checkReport();
        }
        if (type == HDR_TYPE_NAK) {
            return length != NakFlyweight.HEADER_LENGTH + FrameTags.LENGTH ? DatagramRefusal.LENGTH : checkRequest();
        }
        return DatagramRefusal.TYPE;
    }

    private @Nullable DatagramRefusal checkReport() {
        final int stream = LinkAccess.stream(report.streamId());
        if (stream < 0 || report.sessionId() != access.key().session()) {
            return DatagramRefusal.SESSION;
        }
        if (!tags.isAppended(incoming, StatusMessageFlyweight.HEADER_LENGTH)) {
            return DatagramRefusal.TAG;
        }
        final int termLength = access.sizes().termLength(stream);
        final int termOffset = report.consumptionTermOffset();
        final int window = report.receiverWindowLength();
        final long position = access.position(stream, report.consumptionTermId(), termOffset);
        if (termOffset < 0
                || termOffset >= termLength
                || position < 0
                || position > sent[stream]
                || window < 0
                || window > termLength / 2) {
            return DatagramRefusal.RANGE;
        }
        taken[stream] = Math.max(taken[stream], position);
        return null;
    }

    private @Nullable DatagramRefusal checkRequest() {
        final int stream = LinkAccess.stream(missing.streamId());
        if (stream < 0 || missing.sessionId() != access.key().session()) {
            return DatagramRefusal.SESSION;
        }
        if (!tags.isAppended(incoming, NakFlyweight.HEADER_LENGTH)) {
            return DatagramRefusal.TAG;
        }
        final int termLength = access.sizes().termLength(stream);
        final int termOffset = missing.termOffset();
        final int length = missing.length();
        final long position = access.position(stream, missing.termId(), termOffset);
        if (termOffset < 0
                || termOffset % FRAME_ALIGNMENT != 0
                || length <= 0
                || length > termLength - termOffset
                || position + length > sent[stream]) {
            return DatagramRefusal.RANGE;
        }
        return position < sent[stream] - termLength ? DatagramRefusal.STALE : null;
    }
}
