package org.segno.engine.dma;

import org.segno.engine.landing.Landing;
import org.segno.engine.landing.LanePools;
import org.segno.engine.landing.OriginLanes;
import org.segno.engine.landing.PacketLanding;
import org.segno.engine.landing.RemoteReads;
import org.segno.engine.landing.RequestLane;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.link.FrameHandler;
import org.segno.status.Refusal;

/**
 * Receiver of one link. It lands the peer's messages and carries out its requests, as this node's counters allow, with
 * the peer as the origin. Used only by the engine's thread.
 *
 * <p>Nothing in a packet is trusted. A packet that cannot be accepted yet stays in its frame and blocks those of its
 * stream behind it: lanes can be full, because senders have no credit for them. Therefore there are three streams.
 * Requests of applications may wait for handlers, which may wait for room in the stream of what handlers send. What is
 * received there waits only for handlers that cannot send. Replies of engines never wait. Two nodes that flood each
 * other can therefore not deadlock, even if their handlers reply.
 */
final class ReceptionUnit implements FrameHandler {
    /** Maximum number of frames of a stream in one pass. */
    private static final int FRAME_LIMIT = 64;

    private final LinkPort port;
    private final Landing landing;
    private final NameUnit names;
    private final ContextMirror contexts;
    private final RefusalReport report;
    private final PacketLanding requests;
    private final PacketLanding handlerReplies;
    private final OriginLanes requestLanes;
    private final OriginLanes replyLanes;
    private final RequestLane lane = new RequestLane();
    private final Packet received;
    private final int self;

    /** By stream, the packets of its first frame that have been accepted, and the offset of the next one. */
    private final int[] accepted = new int[Frame.STREAMS];

    private final int[] next = new int[Frame.STREAMS];
    private int polled;

    /** Number of underflows of which the peer is not notified, and the counter of the last one. */
    private int underflows;

    private int underflowed;

    /** Number of packets that this poll has accepted. */
    private int packets;

    /** Receiver of the messages of the polled stream. */
    private PacketLanding packetLanding;

    /**
     * Creates the receiver of the messages that {@code landing}'s origin, the peer at the link of {@code port}, sends
     * to this node.
     */
    ReceptionUnit(
            LinkPort port,
            Landing landing,
            NameUnit names,
            ContextMirror contexts,
            LanePools pools,
            RefusalReport report) {
        this.port = port;
        this.self = port.self();
        this.landing = landing;
        this.names = names;
        this.contexts = contexts;
        this.report = report;
        final int peer = port.link().rank();
        this.requestLanes = new OriginLanes(landing, pools.requests(), peer);
        this.replyLanes = new OriginLanes(landing.replies(), pools.replies(), peer);
        this.requests = new PacketLanding(landing, requestLanes);
        this.handlerReplies = new PacketLanding(landing.replies(), replyLanes);
        this.packetLanding = requests;
        this.received = new Packet(port.link().memory());
        landing.onUnderflow((origin, target, counter) -> {
            underflows++;
            underflowed = counter;
        });
    }

    int doWork() {
        if (!contexts.tell() && !contexts.hasIntroduced() && port.reach() == Landing.LANDED) {
            // Nothing may precede the introduction of this node.
            return 1;
        }
        final int work = poll(Frame.REPLIES) + poll(Frame.HANDLER_REPLIES) + poll(Frame.REQUESTS) + serve();
        tellUnderflows();
        grant(Frame.REQUESTS, requestLanes);
        grant(Frame.HANDLER_REPLIES, replyLanes);
        port.giveUpLanes();
        port.acknowledge(work == 0);
        if (work == 0 && port.endLost()) {
            // Packets of a rank that has died can still arrive. They must not be written to the next use of its lanes.
            requests.end();
            handlerReplies.end();
            requestLanes.end();
            replyLanes.end();
        }
        return work;
    }

    /** Acknowledges everything, because passes may be rare from now on. */
    void rest() {
        port.confirm();
        flush();
    }

    /** Returns true while something that was sent over the link has not landed. */
    boolean isPending() {
        return port.isPending();
    }

    /** Ends a pass of the engine: what it has sent over the link leaves now. */
    void flush() {
        port.link().flush();
    }

    private int poll(int stream) {
        polled = stream;
        packets = 0;
        packetLanding = stream == Frame.HANDLER_REPLIES ? handlerReplies : requests;
        final int frames = port.link().poll(stream, this, FRAME_LIMIT);
        packetLanding.closeRun();
        // A frame without a valid packet counts as work, too: others may be behind it.
        return Math.max(frames, packets);
    }

    @Override
    public boolean onFrame(Memory memory, long offset, int length) {
        final int stream = polled;
        final int count = Frame.packets(memory, offset);
        if (stream != Frame.REPLIES && accepted[stream] == 0) {
            acknowledge(stream, memory, offset, length);
        }
        int at = accepted[stream] == 0 ? Frame.LENGTH : next[stream];
        for (int done = accepted[stream]; done < count; done++) {
            final Packet packet = received.wrap(memory, offset + at);
            final boolean hasHeader = length - at >= Packet.LENGTH;
            final int packetLength = hasHeader ? Frame.packetLength(packet.payloadLength()) : 0;
            if (!hasHeader || packetLength > length - at) {
                // The beginning of the next packet is unknown.
                report.refuseFrame(port.link().rank(), length, count);
                port.processed(stream, count - done);
                break;
            }
            final int flags = packet.flags();
            if (!onPacket(packet)) {
                accepted[stream] = done;
                next[stream] = at;
                return false;
            }
            port.processed(stream, 1);
            port.processedFlags(flags);
            packets++;
            at += packetLength;
        }
        accepted[stream] = 0;
        if (stream == Frame.REPLIES) {
            contexts.received();
            // After the packets, which may refuse what the counts acknowledge.
            acknowledge(stream, memory, offset, length);
            port.repliesProcessed();
        } else {
            port.received(length);
        }
        return true;
    }

    private void acknowledge(int stream, Memory memory, long frame, int length) {
        if (!port.acknowledged(stream, memory, frame)) {
            report.refuseFrame(port.link().rank(), length, Frame.packets(memory, frame));
        }
    }

    /** Receives a packet. Returns false to receive it again later, before any other packet of its stream. */
    private boolean onPacket(Packet packet) {
        final int checked = check(packet);
        if (checked != Landing.LANDED) {
            // Send no reply, because the sender is uncertain.
            report.refuse(port.link().rank(), packet, checked);
            return true;
        }
        final int kind = packet.kind();
        if (kind != PacketKind.PUT && kind != PacketKind.PUTS) {
            packetLanding.closeRun();
        }
        if (polled != Frame.REPLIES && packetLanding.isTorn(packet)) {
            report.refuse(port.link().rank(), packet, Refusal.BAD_PACKET.code());
        }
        final int result = take(kind, packet);
        return result == Landing.LANDED || (result != Landing.NO_ROOM && refuse(packet, result));
    }

    private int check(Packet packet) {
        if (packet.source() != port.link().rank() || packet.destination() != self) {
            return Refusal.FORGED_PACKET.code();
        }
        final int kind = packet.kind();
        final boolean isKnown = PacketKind.isIn(kind, polled) && (packet.flags() & ~Packet.FLAGS) == 0;
        final boolean hasMessage = !PacketKind.isPut(kind) || packet.payloadLength() >= Packet.PUT_PREFIX_LENGTH;
        return isKnown && hasMessage ? Landing.LANDED : Refusal.BAD_PACKET.code();
    }

    private int take(int kind, Packet packet) {
        return switch (kind) {
            case PacketKind.PUT, PacketKind.NOTIFYING_PUT, PacketKind.SEND, PacketKind.COUNT ->
                packetLanding.land(packet);
            // A refusal of one of them must have room before others land.
            case PacketKind.PUTS, PacketKind.SENDS ->
                port.hasRoom(Frame.REPLIES) ? packetLanding.land(packet) : Landing.NO_ROOM;
            case PacketKind.GET -> ask(packet);
            case PacketKind.RMW -> change(packet);
            // The changed states of this node's contexts precede the answer.
            case PacketKind.ASK_NAME -> contexts.tell() ? names.answer(port, packet) : Landing.NO_ROOM;
            case PacketKind.NAME -> {
                // The states that precede the answer must be visible to other threads before the answer is.
                contexts.received();
                yield names.accept(port.link().rank(), packet);
            }
            case PacketKind.CREDIT -> credit(packet);
            case PacketKind.LANE -> lane(packet);
            case PacketKind.DEMAND ->
                (polled == Frame.REQUESTS ? requestLanes : replyLanes)
                        .demand(packet.target(), packet.offset(), packet.detail());
            case PacketKind.CONTEXT_STATE -> contexts.accept(packet);
            case PacketKind.REFUSED -> refused(packet);
            default ->
                port.requests()
                        .land(
                                kind,
                                packet.target(),
                                packet.offset(),
                                packet.memory(),
                                packet.payload(),
                                packet.payloadLength());
        };
    }

    /**
     * Accepts a request for a PUT back. It waits in the lane of its link, so that the data go to the peer that
     * requested them.
     */
    private int ask(Packet packet) {
        if (lane.isFull()) {
            return Landing.NO_ROOM;
        }
        if (packet.payloadLength() != Long.BYTES) {
            return Refusal.BAD_PACKET.code();
        }
        final long length = packet.memory().getLong(packet.payload());
        if (length < 0) {
            return Refusal.BAD_LENGTH.code();
        }
        final int opened = landing.fetching().open(packet.target(), packet.detail());
        if (opened != Landing.LANDED) {
            return opened;
        }
        if (!landing.fetching().admits(packet.offset(), length)) {
            return Refusal.TARGET_OUT_OF_BOUNDS.code();
        }
        lane.add(packet.target(), packet.detail(), packet.offset(), length, packet.request());
        return Landing.LANDED;
    }

    private int change(Packet packet) {
        if (!port.hasRoom(Frame.REPLIES)) {
            return Landing.NO_ROOM;
        }
        if (packet.payloadLength() != 3 * Long.BYTES) {
            return Refusal.BAD_PACKET.code();
        }
        final Memory from = packet.memory();
        final long at = packet.payload();
        final long function = from.getLong(at);
        final int changed = landing.fetching()
                .change(
                        function == (byte) function ? (int) function : 0,
                        packet.target(),
                        packet.detail(),
                        packet.offset(),
                        from.getLong(at + Long.BYTES),
                        from.getLong(at + 2 * Long.BYTES));
        if (changed == Landing.LANDED) {
            final Packet reply = port.claim(Frame.REPLIES, PacketKind.RMW_RESULT, Packet.FIRST, Long.BYTES)
                    .target(packet.request(), 0, 0);
            reply.memory().putLong(reply.payload(), landing.fetching().fetched());
            port.publish(Frame.REPLIES);
        }
        return changed;
    }

    private int credit(Packet packet) {
        final LaneCredits credits = port.credits(packet.detail());
        return credits != null && credits.grant(packet.target(), packet.offset())
                ? Landing.LANDED
                : Refusal.BAD_PACKET.code();
    }

    private int lane(Packet packet) {
        final LaneCredits credits = port.credits(packet.detail());
        return credits != null && credits.lane(packet.target(), packet.offset())
                ? Landing.LANDED
                : Refusal.BAD_PACKET.code();
    }

    /**
     * Provides the lanes that the peer demands, and grants it credit again for what this node's contexts have taken
     * from them.
     */
    private void grant(int stream, OriginLanes lanes) {
        for (int context = 0; context < lanes.contexts(); context++) {
            // In most passes nothing is due, which is found without a look at the link.
            if (lanes.isDue(context) && port.hasRoom(Frame.REPLIES)) {
                grant(stream, lanes, context);
            }
        }
    }

    private void grant(int stream, OriginLanes lanes, int context) {
        final long lane = lanes.change(context);
        final long bytes = lane == OriginLanes.NOTHING ? lanes.grant(context) : OriginLanes.NOTHING;
        if (lane != OriginLanes.NOTHING) {
            tell(PacketKind.LANE, context, stream, lane);
        } else if (bytes != OriginLanes.NOTHING) {
            tell(PacketKind.CREDIT, context, stream, bytes);
            lanes.granted(context, bytes);
        }
    }

    private void tell(int kind, int context, int stream, long bytes) {
        port.claim(Frame.REPLIES, kind, Packet.FIRST, 0).target(context, stream, bytes);
        port.publish(Frame.REPLIES);
    }

    private int refused(Packet packet) {
        // An error word of zero or above would not be an error.
        final int code = packet.target() < 0 ? packet.target() : Refusal.UNKNOWN_CODE.code();
        final int stream = packet.detail();
        final int number = packet.request();
        final boolean isKnown = switch (stream) {
            case Packet.NO_STREAM -> underflow(code, number, packet.offset());
            case Frame.REPLIES -> port.requests().refuse(number, code);
            case Frame.REQUESTS, Frame.HANDLER_REPLIES -> port.unlanded(stream).refuse(number, code, packet.offset());
            default -> false;
        };
        return isKnown ? Landing.LANDED : Refusal.NOT_ASKED_FOR.code();
    }

    private boolean underflow(int code, int counter, long times) {
        final boolean isPossible = code == Refusal.UNDERFLOW.code() && times > 0 && times == (int) times;
        if (isPossible) {
            report.underflow(self, port.link().rank(), counter, (int) times);
        }
        return isPossible;
    }

    /** Notifies the peer of the underflows that its messages have caused since the last notification. */
    private void tellUnderflows() {
        if (underflows != 0 && port.hasRoom(Frame.REPLIES)) {
            port.claim(Frame.REPLIES, PacketKind.REFUSED, Packet.FIRST, 0).underflow(underflowed, underflows);
            port.publish(Frame.REPLIES);
            underflows = 0;
        }
    }

    /**
     * Refuses a packet and notifies its sender. Returns false while there is no room for the notification. A refused
     * reply is not reported to its sender.
     */
    private boolean refuse(Packet packet, int code) {
        if (polled != Frame.REPLIES) {
            if (!port.hasRoom(Frame.REPLIES)) {
                return false;
            }
            final int kind = packet.kind();
            // The reply acknowledges the packets before this one.
            packetLanding.closeRun();
            if (PacketKind.isRequest(kind)) {
                reply(code, Frame.REPLIES, packet.request(), Packet.ALL);
            } else {
                final long part = PacketKind.isRun(kind) ? packetLanding.refusedPart(packet) : Packet.ALL;
                reply(code, polled, port.processed(polled), part);
            }
            packetLanding.refused(packet);
        }
        // The origin counts its refused operations. Packets that no engine sends are counted here.
        if (polled == Frame.REPLIES || code == Refusal.BAD_PACKET.code()) {
            report.refuse(port.link().rank(), packet, code);
        }
        return true;
    }

    private void reply(int code, int stream, int number, long part) {
        port.claim(Frame.REPLIES, PacketKind.REFUSED, Packet.FIRST, 0).refused(code, stream, number, part);
        port.publish(Frame.REPLIES);
    }

    /** Sends the data that the peer has requested, as far as there is room. */
    private int serve() {
        final RemoteReads fetching = landing.fetching();
        int served = 0;
        while (!lane.isEmpty() && served < FRAME_LIMIT && hasRoomForData()) {
            served++;
            // Check again for every part, because the owner may have closed the counter since.
            final int opened = fetching.open(lane.counter(), lane.incarnation());
            if (opened != Landing.LANDED) {
                reply(opened, Frame.REPLIES, lane.request(), Packet.ALL);
                lane.remove();
                continue;
            }
            final int part = (int) Math.min(lane.length() - lane.done(), port.payloadLimit());
            final int flags = lane.done() == 0 ? Packet.FIRST : 0;
            final Packet packet =
                    port.claim(Frame.REPLIES, PacketKind.GET_DATA, flags, part).target(lane.request(), 0, lane.done());
            fetching.read(lane.offset() + lane.done(), packet.memory(), packet.payload(), part);
            port.publish(Frame.REPLIES);
            lane.sent(part);
        }
        return served;
    }

    private boolean hasRoomForData() {
        final boolean isLong = lane.length() > port.payloadLimit();
        return port.hasRoom(Frame.REPLIES, isLong ? port.roomOfPart(Frame.REPLIES) : 1);
    }
}
