package org.segno.link;

import java.util.function.Consumer;
import org.segno.engine.memory.Memory;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;

/**
 * End of a link at which a test sends packets of any content, one in a frame, and receives packets. Its counts begin
 * at zero.
 */
public final class PacketEnd {
    private final Link link;
    private final Packet claimed;

    /** Number of packets taken from each stream. */
    private final int[] taken = new int[Frame.STREAMS];

    private int acknowledgedRequests;
    private int acknowledgedReplies;
    private int sentReplies;

    /** Creates the end. Nothing else uses the link. */
    public PacketEnd(Link link) {
        this.link = link;
        this.claimed = new Packet(link.memory());
    }

    /** Returns the number of packets that a stream has room for. */
    public int room(int stream) {
        return (int) (link.room(stream) / link.frameLimit());
    }

    /** Returns the only packet of a frame of maximum length. {@link #publish} sends it. */
    public Packet claim(int stream) {
        final long frame = link.claim(stream, link.frameLimit());
        if (frame == Link.NO_ROOM) {
            throw new AssertionError("stream " + stream + " is full");
        }
        head(frame, 1, 0);
        return claimed.wrap(frame + Frame.LENGTH);
    }

    /** Sends the claimed packet. */
    public void publish(int stream) {
        sentReplies += stream == Frame.REPLIES ? 1 : 0;
        leave(stream);
    }

    private void leave(int stream) {
        link.commit(stream);
        link.flush();
    }

    /** Demands a lane of {@code bytes} for packets of a stream from {@code self} to context 0 of {@code peer}. */
    public void demandLane(int stream, int bytes, int self, int peer) {
        claim(stream).head(PacketKind.DEMAND, Packet.FIRST, self, peer).target(0, bytes, bytes);
        publish(stream);
    }

    /** Provides {@code peer} with the lane for packets of a stream to a context of {@code self}. */
    public void provideLane(int stream, int context, long bytes, int self, int peer) {
        claim(Frame.REPLIES).head(PacketKind.LANE, Packet.FIRST, self, peer).target(context, stream, bytes);
        publish(Frame.REPLIES);
    }

    /** Acknowledges packets by an empty frame; later frames repeat that. */
    public void acknowledge(int requests, int handlerReplies) {
        acknowledge(requests, handlerReplies, 0);
    }

    /** Acknowledges packets that have hit counters a number of times so far. */
    public void acknowledge(int requests, int handlerReplies, int hits) {
        final long frame = link.claim(Frame.REPLIES, Frame.LENGTH);
        if (frame == Link.NO_ROOM) {
            throw new AssertionError("no room for an acknowledgement");
        }
        acknowledgedRequests = requests;
        acknowledgedReplies = handlerReplies;
        head(frame, 0, hits);
        leave(Frame.REPLIES);
    }

    /** Acknowledges requests by an empty frame of any stream, as if {@code more} replies had been sent before it. */
    public void acknowledgeIn(int stream, int requests, int more) {
        final long frame = link.claim(stream, Frame.LENGTH);
        Frame.counts(link.memory(), frame, Frame.FIRST + requests, Frame.FIRST, Frame.FIRST);
        Frame.head(link.memory(), frame, 0, Frame.FIRST + sentReplies + more);
        leave(stream);
    }

    private void head(long frame, int packets, int hits) {
        Frame.counts(
                link.memory(),
                frame,
                Frame.FIRST + acknowledgedRequests,
                Frame.FIRST + acknowledgedReplies,
                Frame.FIRST + hits);
        Frame.head(link.memory(), frame, packets, Frame.FIRST + sentReplies);
    }

    /** Acknowledges all packets that have been taken. */
    public void acknowledge() {
        acknowledge(taken[Frame.REQUESTS], taken[Frame.HANDLER_REPLIES]);
    }

    /** Passes the packets of at most {@code limit} frames to the handler, and returns their number. */
    public int poll(int stream, Consumer<Packet> handler, int limit) {
        final int[] packets = new int[1];
        link.poll(
                stream,
                (memory, offset, length) -> {
                    packets[0] += unpack(memory, offset, length, handler);
                    return true;
                },
                limit);
        taken[stream] += packets[0];
        return packets[0];
    }

    private static int unpack(Memory memory, long offset, int length, Consumer<Packet> handler) {
        final int count = Frame.packets(memory, offset);
        long at = offset + Frame.LENGTH;
        for (int i = 0; i < count; i++) {
            final Packet packet = new Packet(memory).wrap(at);
            at += Frame.packetLength(packet.payloadLength());
            if (at > offset + length) {
                throw new AssertionError("a packet is longer than its frame: " + packet);
            }
            handler.accept(packet);
        }
        return count;
    }
}
