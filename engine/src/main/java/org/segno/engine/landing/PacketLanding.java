package org.segno.engine.landing;

import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.fifo.ReceptionFifoProducer;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.status.Refusal;

/**
 * Receiver of the PUTs, COUNTs and SENDs in the packets of one peer and one stream. One atomic add counts successive
 * PUTs to one counter down. Parts of several PUTs may alternate. The parts of a SEND follow each other into a record of
 * its lane, which is claimed with the first part and published with the last. Used by one thread, that of the engine of
 * the receiving node.
 *
 * <p>Methods return the results of {@link Landing}.
 */
public final class PacketLanding {
    private final Landing landing;
    private final OriginLanes lanes;
    private final RefusedPuts refusedPuts = new RefusedPuts();

    private final MessageRun messages;

    private boolean isRunOpen;
    private int runCounter;
    private int runIncarnation;
    private long runBytes;
    private long refusedPart;
    private @Nullable ReceptionFifoProducer into;
    private int intoContext;
    private long body;
    private int dispatchId;
    private int bodyLength;
    private int metadataLength;
    private int received;
    private boolean isDropping;

    /** True once the origin is lost. An earlier message may have been dropped, so no later one may arrive. */
    private boolean hasEnded;

    /** Creates the receiver of packets from the origin of {@code landing} and {@code lanes} to this node. */
    public PacketLanding(Landing landing, OriginLanes lanes) {
        this.landing = landing;
        this.lanes = lanes;
        this.messages = new MessageRun(landing, lanes);
    }

    /**
     * Returns true if this packet does not continue the message that has begun. That message is incomplete and is never
     * delivered.
     */
    public boolean isTorn(Packet packet) {
        final boolean torn = into != null && (packet.kind() != PacketKind.SEND || packet.isFirst());
        if (torn) {
            discard();
        }
        return torn;
    }

    /** Erases the record that has begun, because a shorter one may be written there: the next header must be zero. */
    private void discard() {
        final ReceptionFifoProducer to = into;
        if (to != null) {
            for (int at = 0; at < received; at += Long.BYTES) {
                to.memory().putLong(body + at, 0);
            }
            into = null;
            lanes.settle(intoContext, bodyLength);
        }
    }

    /** Drops the record that has begun, and all messages from now on: their origin is lost and gives its lane up. */
    public void end() {
        discard();
        hasEnded = true;
    }

    /** Lands a packet of one of these kinds. */
    public int land(Packet packet) {
        if (hasEnded && PacketKind.isMessage(packet.kind())) {
            return Landing.LANDED;
        }
        return switch (packet.kind()) {
            case PacketKind.PUT, PacketKind.NOTIFYING_PUT -> part(packet);
            case PacketKind.PUTS -> puts(packet);
            case PacketKind.SENDS -> messages.land(packet);
            case PacketKind.COUNT -> landing.count(packet.target(), packet.detail(), packet.offset());
            default -> packet.isFirst() ? begin(packet) : append(packet);
        };
    }

    /** Ends the run of PUTs. Called before any other kind of packet, and at the end of the engine's poll. */
    public void closeRun() {
        if (isRunOpen) {
            isRunOpen = false;
            landing.close(runBytes);
            runBytes = 0;
        }
    }

    /**
     * Records that a packet was refused and that its sender is notified, so that later parts of the same PUT are
     * dropped.
     */
    public void refused(Packet packet) {
        final int kind = packet.kind();
        if (PacketKind.isPut(kind) && !isLast(packet)) {
            refusedPuts.add(packet.number());
        }
        if (kind == PacketKind.NOTIFYING_PUT) {
            lanes.settle(packet.noticeContext(), LaneRecord.NOTICE_LENGTH);
        } else if (kind == PacketKind.SEND && packet.isFirst()) {
            lanes.settle(packet.context(), packet.bodyLength());
        } else if (kind == PacketKind.SENDS) {
            messages.refused(packet);
        }
    }

    private static boolean isLast(Packet packet) {
        final int prefix = packet.kind() == PacketKind.PUT ? Packet.PUT_PREFIX_LENGTH : Packet.NOTICE_PREFIX_LENGTH;
        return packet.remaining() <= packet.payloadLength() - prefix;
    }

    /** Lands a part of a PUT. The payload contains at least the message. */
    private int part(Packet packet) {
        if (packet.isFirst()) {
            // Numbers recur after 2^32 messages.
            refusedPuts.remove(packet.number());
        } else if (refusedPuts.contains(packet.number())) {
            if (isLast(packet)) {
                refusedPuts.remove(packet.number());
            }
            return Landing.LANDED;
        }
        return packet.kind() == PacketKind.PUT ? put(packet) : notifying(packet);
    }

    /** Returns the part of a packet with several messages that is refused now, or {@link Packet#ALL}. */
    public long refusedPart(Packet packet) {
        return packet.kind() == PacketKind.PUTS ? refusedPart : messages.refusedPart(packet);
    }

    /** Lands the PUTs of one packet that fit, and refuses the others. */
    private int puts(Packet packet) {
        refusedPart = Packet.ALL;
        final int count = packet.puts();
        final int bytes = packet.payloadLength();
        // A PUT takes a byte at least, of its own or of its range: that bounds the work for a packet.
        if (count <= 0 || count > bytes) {
            return Refusal.BAD_PACKET.code();
        }
        final int stride = packet.stride();
        final boolean isPossible = stride != 0
                ? bytes % count == 0
                : Packet.runPrefixLength(count) + (long) length(packet, count) == bytes;
        if (!isPossible) {
            return Refusal.BAD_PACKET.code();
        }
        final int opened = openRun(packet);
        if (opened != Landing.LANDED) {
            return opened;
        }
        return stride != 0 ? strided(packet, count, stride, bytes / count) : listed(packet, count);
    }

    /** Lands PUTs of one length at equal distances. If the first and the last fit, so do those between them. */
    private int strided(Packet packet, int count, int stride, int length) {
        final int bytes = count * length;
        final long first = packet.offset();
        final long last = first + (long) (count - 1) * stride;
        if (!landing.admits(first, length) || !landing.admits(last, length)) {
            return stridedSingly(packet, first, count, stride, length);
        }
        if (stride == length) {
            landing.land(packet.memory(), packet.payload(), first, bytes);
        } else if (length == Long.BYTES) {
            final Memory from = packet.memory();
            final Memory into = landing.arena();
            final long payload = packet.payload();
            final long base = landing.openBase() + first;
            for (int i = 0; i < count; i++) {
                into.putLong(base + (long) i * stride, from.getLong(payload + (long) i * Long.BYTES));
            }
        } else {
            for (int i = 0; i < count; i++) {
                landing.land(packet.memory(), packet.payload() + (long) i * length, first + (long) i * stride, length);
            }
        }
        runBytes += bytes;
        refusedPart = Packet.refusedPart(0, 0, 0);
        return Landing.LANDED;
    }

    /** Lands those of PUTs at equal distances that fit. */
    private int stridedSingly(Packet packet, long first, int count, int stride, int length) {
        int refusals = 0;
        for (int i = 0; i < count; i++) {
            final long offset = first + (long) i * stride;
            if (landing.admits(offset, length)) {
                landing.land(packet.memory(), packet.payload() + (long) i * length, offset, length);
                runBytes += length;
            } else {
                refusals++;
            }
        }
        refusedPart = Packet.refusedPart(refusals, 0, refusals * length);
        return Refusal.TARGET_OUT_OF_BOUNDS.code();
    }

    private int listed(Packet packet, int count) {
        int refused = 0;
        int refusals = 0;
        int result = Landing.LANDED;
        long from = packet.payload() + Packet.runPrefixLength(count);
        for (int i = 0; i < count; i++) {
            final int length = packet.putLength(count, i);
            final long offset = packet.putOffset(i);
            if (landing.admits(offset, length)) {
                landing.land(packet.memory(), from, offset, length);
                runBytes += length;
            } else {
                refused += length;
                refusals++;
                result = Refusal.TARGET_OUT_OF_BOUNDS.code();
            }
            from += length;
        }
        refusedPart = Packet.refusedPart(refusals, 0, refused);
        return result;
    }

    /** Returns the bytes of the PUTs of a packet; more than fit in it if it does not even contain their ranges. */
    private static int length(Packet packet, int count) {
        if (Packet.runPrefixLength(count) > packet.payloadLength()) {
            return Integer.MAX_VALUE;
        }
        int bytes = 0;
        for (int i = 0; i < count; i++) {
            bytes += packet.putLength(count, i);
        }
        return bytes;
    }

    /** Opens the run of the counter of a packet, unless it is open. */
    private int openRun(Packet packet) {
        if (!isRunOpen || runCounter != packet.target() || runIncarnation != packet.detail()) {
            closeRun();
            runCounter = packet.target();
            runIncarnation = packet.detail();
            final int opened = landing.open(runCounter, runIncarnation);
            if (opened != Landing.LANDED) {
                return opened;
            }
            isRunOpen = true;
        }
        return Landing.LANDED;
    }

    private int put(Packet packet) {
        final int opened = openRun(packet);
        if (opened != Landing.LANDED) {
            return opened;
        }
        final int length = packet.payloadLength() - Packet.PUT_PREFIX_LENGTH;
        if (packet.remaining() < length) {
            return Refusal.BAD_PACKET.code();
        }
        // Check the whole remainder of the message: one that does not fit is refused before its first byte.
        if (!landing.admits(packet.offset(), packet.remaining())) {
            return Refusal.TARGET_OUT_OF_BOUNDS.code();
        }
        landing.land(packet.memory(), packet.payload() + Packet.PUT_PREFIX_LENGTH, packet.offset(), length);
        runBytes += length;
        return Landing.LANDED;
    }

    /**
     * Lands a part of a PUT that notifies. Nothing lands while there is no room for the notice, which follows the last
     * part.
     */
    private int notifying(Packet packet) {
        final int length = packet.payloadLength() - Packet.NOTICE_PREFIX_LENGTH;
        if (length < 0 || packet.remaining() < length || packet.noticeOrigin() >>> ContextStates.ORIGIN_BITS != 0) {
            return Refusal.BAD_PACKET.code();
        }
        final int checked = landing.checkContext(packet.noticeContext());
        if (checked != Landing.LANDED) {
            return checked;
        }
        final ReceptionFifoProducer lane = landing.laneOf(packet.noticeContext());
        if (lane.maxBodyLength() < LaneRecord.NOTICE_LENGTH) {
            // Without a lane, a notice has no credit.
            return Refusal.TOO_LONG.code();
        }
        if (!lane.from(packet.noticeOrigin()) || !lane.hasNoticeRoom()) {
            return Landing.NO_ROOM;
        }
        final int opened = landing.open(packet.target(), packet.detail());
        if (opened != Landing.LANDED) {
            return opened;
        }
        final boolean fits = packet.wholeLength() >= 0
                && landing.admits(packet.wholeOffset(), packet.wholeLength())
                && landing.admits(packet.offset(), packet.remaining());
        if (fits) {
            landing.land(packet.memory(), packet.payload() + Packet.NOTICE_PREFIX_LENGTH, packet.offset(), length);
        }
        landing.close(fits ? length : 0);
        if (!fits) {
            return Refusal.TARGET_OUT_OF_BOUNDS.code();
        }
        if (packet.remaining() == length) {
            lane.publishNotice(packet.noticeDispatchId(), packet.target(), packet.wholeOffset(), packet.wholeLength());
            lanes.settle(packet.noticeContext(), LaneRecord.NOTICE_LENGTH);
        }
        return Landing.LANDED;
    }

    /** Accepts the first packet of a message and claims its record. */
    private int begin(Packet packet) {
        final int context = packet.context();
        final int length = packet.bodyLength();
        metadataLength = packet.metadataLength();
        isDropping = true;
        final int checked = landing.checkContext(context);
        if (checked != Landing.LANDED) {
            return checked;
        }
        if (metadataLength < 0 || metadataLength > Descriptor.MAX_METADATA_LENGTH || length < metadataLength) {
            return Refusal.BAD_LENGTH.code();
        }
        if (packet.origin() >>> ContextStates.ORIGIN_BITS != 0) {
            return Refusal.BAD_PACKET.code();
        }
        final ReceptionFifoProducer to = landing.laneOf(context);
        if (length > to.maxBodyLength()) {
            return Refusal.TOO_LONG.code();
        }
        if (packet.partOffset() != 0 || packet.payloadLength() > length) {
            return Refusal.BAD_PACKET.code();
        }
        final long claimed = to.from(packet.origin()) ? to.claim(length) : Landing.NO_ROOM;
        if (claimed < 0) {
            return Landing.NO_ROOM;
        }
        isDropping = false;
        into = to;
        intoContext = context;
        body = claimed;
        dispatchId = packet.dispatchId();
        bodyLength = length;
        received = 0;
        fill(to, packet);
        return Landing.LANDED;
    }

    /** Accepts a further packet of a message. */
    private int append(Packet packet) {
        final ReceptionFifoProducer to = into;
        if (to == null) {
            // A part of a message that was refused, or of an unknown one.
            return isDropping ? Landing.LANDED : Refusal.BAD_PACKET.code();
        }
        final int length = packet.payloadLength();
        final boolean continues = packet.partOffset() == received && length != 0 && length <= bodyLength - received;
        // The client of the context may have been closed since the first part. The record is not published then.
        final int checked = continues ? landing.checkContext(intoContext) : Refusal.BAD_PACKET.code();
        if (checked != Landing.LANDED) {
            discard();
            isDropping = true;
            return checked;
        }
        fill(to, packet);
        return Landing.LANDED;
    }

    private void fill(ReceptionFifoProducer to, Packet packet) {
        final int length = packet.payloadLength();
        packet.memory().copyTo(packet.payload(), to.memory(), body + received, length);
        received += length;
        if (received == bodyLength) {
            into = null;
            to.publish(dispatchId, metadataLength);
            to.flush();
            lanes.settle(intoContext, bodyLength);
        }
    }
}
