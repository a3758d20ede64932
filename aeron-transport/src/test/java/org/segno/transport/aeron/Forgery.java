package org.segno.transport.aeron;

import static io.aeron.protocol.DataHeaderFlyweight.HEADER_LENGTH;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_DATA;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_NAK;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_SETUP;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_SM;

import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.NakFlyweight;
import io.aeron.protocol.SetupFlyweight;
import io.aeron.protocol.StatusMessageFlyweight;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/** Maker of datagrams of a link, with right tags or without. */
final class Forgery {
    private static final int UNFRAGMENTED = 0xC0;

    private final LinkAccess access;
    private final FrameTags tags;
    private final UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(1 << 16));
    private int length;

    Forgery(LinkAccess access) {
        this.access = access;
        this.tags = new FrameTags(access.key());
    }

    /** Begins a datagram. */
    Forgery begin() {
        length = 0;
        return this;
    }

    /** Returns the datagram. */
    byte[] end() {
        final byte[] bytes = new byte[length];
        buffer.getBytes(0, bytes);
        return bytes;
    }

    /** Adds a tagged frame with a body, of which the header is changed before. */
    Forgery frame(int stream, long position, int bodyLength, Consumer<DataHeaderFlyweight> change) {
        final int termLength = access.sizes().termLength(stream);
        final DataHeaderFlyweight header = new DataHeaderFlyweight();
        buffer.setMemory(length, HEADER_LENGTH + bodyLength, (byte) 0);
        header.wrap(buffer, length, HEADER_LENGTH);
        header.sessionId(access.key().session())
                .streamId(LinkAccess.id(stream))
                .termId(access.initialTermId(stream) + (int) (position / termLength))
                .termOffset((int) (position % termLength));
        header.headerType(HDR_TYPE_DATA).flags((short) UNFRAGMENTED).frameLength(HEADER_LENGTH + bodyLength);
        change.accept(header);
        tags.write(buffer, length, bodyLength);
        length += HEADER_LENGTH + bodyLength;
        return this;
    }

    Forgery frame(int stream, long position, int bodyLength) {
        return frame(stream, position, bodyLength, header -> {});
    }

    /** Returns a tagged heartbeat, which was changed before. */
    byte[] heartbeat(int stream, long position, Consumer<DataHeaderFlyweight> change) {
        return begin().frame(stream, position, 0, header -> {
                    header.frameLength(0);
                    change.accept(header);
                })
                .end();
    }

    /** Returns the message that sets up a stream, after a change. */
    byte[] setup(int stream, Consumer<SetupFlyweight> change) {
        final UnsafeBuffer bytes = new UnsafeBuffer(new byte[SetupFlyweight.HEADER_LENGTH]);
        final SetupFlyweight setup = new SetupFlyweight();
        setup.wrap(bytes, 0, bytes.capacity());
        setup.sessionId(access.key().session())
                .streamId(LinkAccess.id(stream))
                .initialTermId(access.initialTermId(stream))
                .activeTermId(access.initialTermId(stream))
                .termLength(access.sizes().termLength(stream))
                .mtuLength(access.sizes().mtu())
                .headerType(HDR_TYPE_SETUP)
                .frameLength(SetupFlyweight.HEADER_LENGTH);
        change.accept(setup);
        return bytes.byteArray();
    }

    /** Returns a tagged report that everything to a position is taken, after a change. */
    byte[] report(int stream, long position, Consumer<StatusMessageFlyweight> change) {
        final int termLength = access.sizes().termLength(stream);
        final StatusMessageFlyweight report = new StatusMessageFlyweight();
        report.wrap(buffer, 0, StatusMessageFlyweight.HEADER_LENGTH);
        report.sessionId(access.key().session())
                .streamId(LinkAccess.id(stream))
                .consumptionTermId(access.initialTermId(stream) + (int) (position / termLength))
                .consumptionTermOffset((int) (position % termLength))
                .receiverWindowLength(access.sizes().window(stream))
                .receiverId(0)
                .flags((short) 0);
        report.headerType(HDR_TYPE_SM).frameLength(StatusMessageFlyweight.HEADER_LENGTH + FrameTags.LENGTH);
        change.accept(report);
        tags.append(buffer, StatusMessageFlyweight.HEADER_LENGTH);
        length = StatusMessageFlyweight.HEADER_LENGTH + FrameTags.LENGTH;
        return end();
    }

    /** Returns a tagged request for the frames from a position on, after a change. */
    byte[] request(int stream, long position, int bytes, Consumer<NakFlyweight> change) {
        final int termLength = access.sizes().termLength(stream);
        final NakFlyweight request = new NakFlyweight();
        request.wrap(buffer, 0, NakFlyweight.HEADER_LENGTH);
        request.sessionId(access.key().session())
                .streamId(LinkAccess.id(stream))
                .termId(access.initialTermId(stream) + (int) (position / termLength))
                .termOffset((int) (position % termLength))
                .length(bytes)
                .headerType(HDR_TYPE_NAK)
                .frameLength(NakFlyweight.HEADER_LENGTH);
        request.flags((short) 0);
        change.accept(request);
        tags.append(buffer, NakFlyweight.HEADER_LENGTH);
        length = NakFlyweight.HEADER_LENGTH + FrameTags.LENGTH;
        return end();
    }

    /** Returns a datagram with one other bit. */
    static byte[] flipped(byte[] bytes, int at) {
        final byte[] other = bytes.clone();
        other[at] ^= 1;
        return other;
    }

    /** Returns the beginning of a datagram, or the datagram with further bytes. */
    static byte[] cut(byte[] bytes, int length) {
        return Arrays.copyOf(bytes, length);
    }
}
