package org.segno.transport.aeron;

import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_DATA;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_PAD;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_SETUP;
import static io.aeron.protocol.HeaderFlyweight.HDR_TYPE_SM;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.TreeMap;
import org.segno.engine.packet.Frame;

/** Progress of the streams of one direction of a link: what its sender has sent, and what of it has been delivered. */
final class Delivery {
    private static final int HEADER = 32;
    private static final int EOS = 0x20;

    private final Stream[] streams = new Stream[Frame.STREAMS];

    Delivery() {
        Arrays.setAll(streams, stream -> new Stream());
    }

    /** One stream. */
    private static final class Stream {
        private final TreeMap<Long, Long> delivered = new TreeMap<>();
        private int initialTermId;
        private int termLength;
        private long sentEnd;
        private long deliveredEnd;
        private boolean hasEnded;
        private boolean isEndDelivered;
        private long report;
        private long deliveredReport;

        private long position(int termId, int termOffset) {
            return (long) (termId - initialTermId) * termLength + termOffset;
        }

        private boolean isComplete() {
            return deliveredEnd == sentEnd && (hasEnded ? isEndDelivered : deliveredReport == report);
        }

        private void deliver(long from, long to) {
            delivered.merge(from, to, Math::max);
            while (!delivered.isEmpty() && delivered.firstKey() <= deliveredEnd) {
                deliveredEnd = Math.max(deliveredEnd, delivered.pollFirstEntry().getValue());
            }
        }
    }

    /** Returns true if everything has been delivered: frames, their acceptance, the end of streams. */
    boolean isComplete() {
        return Arrays.stream(streams).allMatch(Stream::isComplete);
    }

    /** Notes a datagram of the sender. */
    void onward(byte[] bytes, boolean isDelivered) {
        final ByteBuffer datagram = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        final int type = datagram.getShort(6);
        final Stream stream = streams[datagram.getInt(16) - 1];
        if (type == HDR_TYPE_SETUP) {
            stream.initialTermId = datagram.getInt(20);
            stream.termLength = datagram.getInt(28);
        } else if (type == HDR_TYPE_DATA || type == HDR_TYPE_PAD) {
            final long from = stream.position(datagram.getInt(20), datagram.getInt(8));
            if (datagram.getInt(0) == 0 && (datagram.get(5) & EOS) != 0) {
                stream.hasEnded = true;
                stream.isEndDelivered |= isDelivered;
            }
            final long to = from + length(datagram);
            stream.sentEnd = Math.max(stream.sentEnd, to);
            if (isDelivered) {
                stream.deliver(from, to);
            }
        }
    }

    private static long length(ByteBuffer datagram) {
        long length = 0;
        for (int offset = 0; offset < datagram.limit(); ) {
            final int aligned = (datagram.getInt(offset) + HEADER - 1) & -HEADER;
            if (aligned == 0) {
                return 0;
            }
            length += aligned;
            offset += datagram.getShort(offset + 6) == HDR_TYPE_PAD ? HEADER : aligned;
        }
        return length;
    }

    /** Notes a datagram of the receiver. */
    void backward(byte[] bytes, boolean isDelivered) {
        final ByteBuffer datagram = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        if (datagram.getShort(6) == HDR_TYPE_SM) {
            final Stream stream = streams[datagram.getInt(12) - 1];
            final long position = stream.position(datagram.getInt(16), datagram.getInt(20));
            stream.report = Math.max(stream.report, position);
            if (isDelivered) {
                stream.deliveredReport = Math.max(stream.deliveredReport, position);
            }
        }
    }

    @Override
    public String toString() {
        final StringBuilder text = new StringBuilder();
        for (final Stream stream : streams) {
            text.append("[sent=" + stream.sentEnd + " delivered=" + stream.deliveredEnd + " report=" + stream.report
                    + " of " + stream.deliveredReport + " ended=" + stream.hasEnded + "/" + stream.isEndDelivered
                    + "]");
        }
        return text.toString();
    }
}
