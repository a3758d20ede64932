package org.segno.engine.landing;

import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Packet;
import org.segno.status.Refusal;

/**
 * Receiver of the short messages of one packet. Nothing of them is published before all are checked. If the lane has no
 * room, which their sender has to prevent, the packet is received again from the first one that is not published. Used
 * by one thread, that of the engine of the receiving node.
 *
 * <p>Methods return the results of {@link Landing}.
 */
final class MessageRun {
    private final Landing landing;
    private final OriginLanes lanes;

    /** Number of published messages of a packet that is received again, and the bytes of their bodies. */
    private int published;

    private int publishedBytes;

    MessageRun(Landing landing, OriginLanes lanes) {
        this.landing = landing;
        this.lanes = lanes;
    }

    int land(Packet packet) {
        final int count = count(packet);
        final int checked = check(packet, count);
        if (checked != Landing.LANDED) {
            return checked;
        }
        final ReceptionFifoProducer lane = landing.laneOf(packet.context());
        if (!lane.from(packet.origin())) {
            return Landing.NO_ROOM;
        }
        final Memory memory = packet.memory();
        final long bodies = packet.payload() + Packet.runPrefixLength(count);
        final int context = packet.context();
        while (published != count) {
            final int length = packet.sendLength(count, published);
            final int dispatchId = packet.sendDispatchId(count, published);
            final int metadataLength = packet.sendMetadataLength(count, published);
            if (!append(lane, memory, bodies + publishedBytes, length, dispatchId, metadataLength)) {
                return Landing.NO_ROOM;
            }
            lanes.settle(context, length);
            published++;
            publishedBytes += length;
        }
        lane.flush();
        forget();
        return Landing.LANDED;
    }

    private static boolean append(
            ReceptionFifoProducer lane, Memory memory, long from, int length, int dispatchId, int metadataLength) {
        if (length <= Memory.SHORT_COPY_LIMIT) {
            return lane.tryAppend(memory, from, length, dispatchId, metadataLength);
        }
        final long body = lane.claim(length);
        if (body < 0) {
            return false;
        }
        memory.copyTo(from, lane.memory(), body, length);
        lane.publish(dispatchId, metadataLength);
        return true;
    }

    /** Returns the number of messages, or more than can be in the payload. */
    private static int count(Packet packet) {
        return (int) Math.max(0, Math.min(packet.remaining(), packet.payloadLength()));
    }

    private int check(Packet packet, int count) {
        final int prefix = Packet.runPrefixLength(count);
        if (count == 0
                || prefix > packet.payloadLength()
                || packet.origin() >>> ContextStates.ORIGIN_BITS != 0
                || packet.partOffset() != 0) {
            return Refusal.BAD_PACKET.code();
        }
        final int checked = landing.checkContext(packet.context());
        if (checked != Landing.LANDED || published != 0) {
            return checked;
        }
        final int most = landing.laneOf(packet.context()).maxBodyLength();
        int bytes = 0;
        for (int i = 0; i < count; i++) {
            final int length = packet.sendLength(count, i);
            final int metadataLength = packet.sendMetadataLength(count, i);
            if (metadataLength > Descriptor.MAX_METADATA_LENGTH || metadataLength > length) {
                return Refusal.BAD_LENGTH.code();
            }
            if (length > most) {
                return Refusal.TOO_LONG.code();
            }
            bytes += length;
        }
        return prefix + bytes == packet.payloadLength() ? Landing.LANDED : Refusal.BAD_PACKET.code();
    }

    /** Returns the part of the packet that is refused now, or {@link Packet#ALL}. */
    long refusedPart(Packet packet) {
        if (published == 0) {
            return Packet.ALL;
        }
        final int count = count(packet);
        int metadataBytes = 0;
        int bytes = 0;
        for (int i = published; i < count; i++) {
            metadataBytes += packet.sendMetadataLength(count, i);
            bytes += packet.sendLength(count, i) - packet.sendMetadataLength(count, i);
        }
        return Packet.refusedPart(count - published, metadataBytes, bytes);
    }

    /** Records that the rest of the packet is refused: the origin has its credit again. */
    void refused(Packet packet) {
        final int count = count(packet);
        if (Packet.runPrefixLength(count) <= packet.payloadLength()) {
            for (int i = published; i < count; i++) {
                lanes.settle(packet.context(), packet.sendLength(count, i));
            }
        }
        forget();
    }

    private void forget() {
        published = 0;
        publishedBytes = 0;
    }
}
