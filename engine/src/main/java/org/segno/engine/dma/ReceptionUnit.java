package org.segno.engine.dma;

import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.landing.Landing;
import org.segno.engine.landing.PacketLanding;
import org.segno.engine.landing.RemoteReads;
import org.segno.engine.landing.RequestLane;
import org.segno.engine.memory.Memory;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.link.PacketHandler;
import org.segno.status.Refusal;

/**
 * Receiver of one link. It lands the peer's messages and carries out its requests, as this node's counters allow, with
 * the peer as the origin. Used only by the engine's thread.
 *
 * <p>Nothing in a packet is trusted. A packet that cannot be accepted yet stays in the link and blocks those of its
 * channel behind it. Requests of applications may wait for handlers, which may wait for room in the channel of what
 * handlers send. What is received there waits only for handlers that cannot send. Replies of engines never wait. Two
 * nodes that flood each other can therefore not deadlock, even if their handlers reply.
 */
final class ReceptionUnit implements PacketHandler {
    /** Maximum number of packets of a channel in one pass. */
    private static final int PACKET_LIMIT = 64;

    /** Detail of a refusal that refers to a request. */
    private static final int OF_REQUEST = 1;

    private final LinkPort port;
    private final Landing landing;
    private final RefusalReport report;
    private final PacketLanding requests;
    private final PacketLanding handlerReplies;
    private final RequestLane lane = new RequestLane();
    private final int self;

    private int polled;

    /** Receiver of the messages of the polled channel. */
    private PacketLanding packetLanding;

    /**
     * Creates the receiver of the messages that {@code landing}'s origin, the peer at the link of {@code port}, sends
     * to this node.
     */
    ReceptionUnit(LinkPort port, int self, Landing landing, RefusalReport report, NodeMetrics metrics) {
        this.port = port;
        this.self = self;
        this.landing = landing;
        this.report = report;
        this.requests = new PacketLanding(landing, metrics);
        this.handlerReplies = new PacketLanding(landing.replies(), metrics);
        this.packetLanding = requests;
    }

    int doWork() {
        final int work = poll(Packet.REPLIES) + poll(Packet.HANDLER_REPLIES) + poll(Packet.REQUESTS) + serve();
        if (work == 0) {
            // All received packets are processed: the missing replies will not arrive.
            final int reached = port.reach();
            if (reached != Landing.LANDED) {
                port.requests().failAll(reached);
            }
        }
        return work;
    }

    private int poll(int channel) {
        polled = channel;
        packetLanding = channel == Packet.HANDLER_REPLIES ? handlerReplies : requests;
        final int packets = port.link().poll(channel, this, PACKET_LIMIT);
        packetLanding.closeRun();
        return packets;
    }

    @Override
    public boolean onPacket(Packet packet) {
        final int checked = check(packet);
        if (checked != Landing.LANDED) {
            // Send no reply, because the sender is uncertain.
            report.refuse(port.link().rank(), packet, checked);
            return true;
        }
        final int kind = packet.kind();
        if (kind != PacketKind.PUT) {
            packetLanding.closeRun();
        }
        if (polled != Packet.REPLIES && packetLanding.isTorn(packet)) {
            report.refuse(port.link().rank(), packet, Refusal.BAD_PACKET.code());
        }
        final int result = take(kind, packet);
        return result == Landing.LANDED || (result != Landing.NO_ROOM && refuse(packet, result));
    }

    private int check(Packet packet) {
        if (packet.source() != port.link().rank() || packet.destination() != self) {
            return Refusal.FORGED_PACKET.code();
        }
        final boolean fits = PacketKind.isIn(packet.kind(), polled)
                && packet.channel() == polled
                && packet.payloadLength() <= Packet.PAYLOAD_LIMIT;
        return fits ? Landing.LANDED : Refusal.BAD_PACKET.code();
    }

    private int take(int kind, Packet packet) {
        return switch (kind) {
            case PacketKind.PUT, PacketKind.NOTIFYING_PUT, PacketKind.SEND, PacketKind.COUNT ->
                packetLanding.land(packet);
            case PacketKind.GET -> ask(packet);
            case PacketKind.RMW -> change(packet);
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
        lane.add(packet.target(), packet.detail(), packet.offset(), length, packet.message());
        return Landing.LANDED;
    }

    private int change(Packet packet) {
        if (!port.hasRoom(Packet.REPLIES)) {
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
            final Packet reply = port.claim(Packet.REPLIES, PacketKind.RMW_RESULT, Packet.FIRST)
                    .target(packet.message(), 0, 0)
                    .message(Descriptor.NO_COUNTER)
                    .payloadLength(Long.BYTES);
            reply.memory().putLong(reply.payload(), landing.fetching().fetched());
            port.publish(Packet.REPLIES);
        }
        return changed;
    }

    private int refused(Packet packet) {
        // An error word of zero or above would not be an error.
        final int code = packet.target() < 0 ? packet.target() : Refusal.UNKNOWN_CODE.code();
        final int message = packet.message();
        if (packet.detail() == OF_REQUEST) {
            return port.requests().refuse(message, code) ? Landing.LANDED : Refusal.NOT_ASKED_FOR.code();
        }
        if (message != Descriptor.NO_COUNTER && !port.hasUsed(message)) {
            return Refusal.NOT_ASKED_FOR.code();
        }
        report.refused(message, port.link().rank(), code);
        return Landing.LANDED;
    }

    /**
     * Refuses a packet and notifies its sender. Returns false while there is no room for the notification. A refused
     * reply is not reported to its sender.
     */
    private boolean refuse(Packet packet, int code) {
        if (polled != Packet.REPLIES) {
            if (!port.hasRoom(Packet.REPLIES)) {
                return false;
            }
            final int kind = packet.kind();
            reply(code, kind == PacketKind.GET || kind == PacketKind.RMW ? OF_REQUEST : 0, packet.message());
        }
        report.refuse(port.link().rank(), packet, code);
        return true;
    }

    private void reply(int code, int detail, int message) {
        port.claim(Packet.REPLIES, PacketKind.REFUSED, Packet.FIRST)
                .target(code, detail, 0)
                .message(message);
        port.publish(Packet.REPLIES);
    }

    /** Sends the data that the peer has requested, as far as there is room. */
    private int serve() {
        final RemoteReads fetching = landing.fetching();
        int packets = 0;
        while (!lane.isEmpty() && packets < PACKET_LIMIT && port.hasRoom(Packet.REPLIES)) {
            packets++;
            // Check again for every part, because the owner may have closed the counter since.
            final int opened = fetching.open(lane.counter(), lane.incarnation());
            if (opened != Landing.LANDED) {
                reply(opened, OF_REQUEST, lane.request());
                lane.remove();
                continue;
            }
            final int part = (int) Math.min(lane.length() - lane.done(), Packet.PAYLOAD_LIMIT);
            final Packet packet = port.claim(Packet.REPLIES, PacketKind.GET_DATA, lane.done() == 0 ? Packet.FIRST : 0)
                    .target(lane.request(), 0, lane.done())
                    .message(Descriptor.NO_COUNTER)
                    .payloadLength(part);
            fetching.read(lane.offset() + lane.done(), packet.memory(), packet.payload(), part);
            port.publish(Packet.REPLIES);
            lane.sent(part);
        }
        return packets;
    }
}
