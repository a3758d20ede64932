package org.segno.engine.dma;

import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.InjectionFifoConsumer;
import org.segno.engine.fifo.PartialMessage;
import org.segno.engine.landing.Landing;
import org.segno.engine.landing.PendingRequests;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.engine.memory.PeerStates;
import org.segno.engine.metrics.HitCount;
import org.segno.engine.packet.Frame;
import org.segno.engine.packet.Packet;
import org.segno.engine.packet.PacketKind;
import org.segno.geometry.Endpoint;
import org.segno.link.Link;
import org.segno.link.LinkState;
import org.segno.status.Deadline;
import org.segno.status.Refusal;

/**
 * A link and the engine's state for it: the packets that the peer has not acknowledged, the open requests to the peer,
 * and the counts that acknowledge the peer's packets. Used only by the engine's thread.
 */
final class LinkPort {
    /** Time for which a report of the hub may come later than the end of a link to a peer that leaves. */
    private static final long REPORT_NS = TimeUnit.SECONDS.toNanos(1);

    /**
     * Packets that long messages may take of the capacity of a stream, so that one behind them waits for few: each
     * datagram takes some microseconds, whatever its length. More may be under way: the capacity is a lower bound.
     */
    private static final int PARTS = 24;

    private static final int UNKNOWN_BARRIER = ContextStates.barrierIncarnation(ContextStates.UNKNOWN_USE);

    private final Link link;
    private final PeerStates states;
    private final PendingRequests requests;
    private final Packet packet;
    private final Packet unsent;

    /** Logs by stream. What is sent in {@link Frame#REPLIES} needs no acknowledgement. */
    private final Unlanded[] unlanded = new Unlanded[Frame.STREAMS];

    private final PeerCounts landed;
    private final Acknowledgement acknowledgement;

    /** Hits of received packets, which the peer counts. */
    private final HitCount landedHits = HitCount.ofLink(Frame.FIRST);

    /** FIFOs that wait for room in each stream. */
    private final DemandQueue[] demands = new DemandQueue[Frame.STREAMS];

    private final @Nullable LaneCredits[] credits = new LaneCredits[Frame.STREAMS];

    private final Peer peer;
    private final ContextStates mirror;

    /** Use of each of the peer's contexts in place of the unknown one. Set when an id with the unknown use is sent. */
    private final int[] uses;

    private final int payloadLimit;
    private final int self;

    /** By stream, packets of maximum length that an empty one has room for. */
    private final long[] carried = new long[Frame.STREAMS];

    private boolean isClaimed;

    /** True once the peer has left and everything that it sent is processed. */
    private boolean isDropping;

    /** True once the peer has ended the link before the hub has reported why, and the time of that. */
    private boolean isUnreported;

    private long endedNs;

    /**
     * Creates the port of a link.
     *
     * @param peer the rank that it reaches
     * @param share of the engine. If the application runs it, any pass may be the last for long
     */
    LinkPort(Link link, NodeMemory node, Peer peer, DmaEngine.Share share, Targets targets, RefusalReport report) {
        this.link = link;
        this.states = new PeerStates(node);
        this.requests = new PendingRequests(node, targets.self(), link.rank(), report::refused, report.metrics());
        this.packet = new Packet(link.memory());
        this.unsent = new Packet(MappedMemory.ofProcess(link.frameLimit()));
        this.payloadLimit = Frame.payloadLimit(link.frameLimit());
        this.self = node.rank();
        this.peer = peer;
        this.mirror = peer.states(share.engine());
        this.uses = new int[peer.dimensions().contexts()];
        Arrays.fill(uses, ContextStates.UNKNOWN_USE);
        this.acknowledgement = new Acknowledgement(share.byContext());
        credits[Frame.REQUESTS] = new LaneCredits(uses.length, peer.dimensions().laneBytes());
        credits[Frame.HANDLER_REPLIES] = new LaneCredits(uses.length, NodeDimensions.REPLY_LANE_BYTES);
        for (int stream = 0; stream < Frame.STREAMS; stream++) {
            demands[stream] = new DemandQueue();
            carried[stream] = Math.min(Unlanded.LIMIT, link.capacity(stream) / link.frameLimit());
            unlanded[stream] = new Unlanded(targets, report, link.rank());
        }
        landed = new PeerCounts(unlanded[Frame.REQUESTS], unlanded[Frame.HANDLER_REPLIES], report.metrics());
    }

    /** Returns true once the peer has sent the uses of its contexts, which it does before it grants a lane. */
    boolean isIntroduced() {
        return ContextStates.use(mirror.stateAcquire(0)) != ContextStates.UNKNOWN_USE;
    }

    /** Sends a packet that the peer acknowledges, unless one is unacknowledged: its introduction precedes its reply. */
    void askIntroduction(int stream) {
        if (unlanded[stream].isEmpty()) {
            demand(stream, 0, 0, 0);
        }
    }

    /** Returns the id of a context of the peer, in place of one that was made before the peer introduced itself. */
    int resolve(int contextId) {
        final int context = Endpoint.contextOf(contextId);
        return ContextStates.isUnknown(contextId) && context < uses.length
                ? Endpoint.idOf(context, use(context))
                : contextId;
    }

    /**
     * Returns the incarnation of the barrier counter of a context, in place of that with the unknown use, or {@link
     * Peer#REFUSED} if a client that was opened by name has the context. The barrier learns the result by {@link
     * Peer#earlyCount}. The peer has introduced itself.
     */
    int countEarly(int context) {
        final long state = mirror.stateAcquire(context);
        if (ContextStates.client(state) != 0) {
            peer.noteEarlyCount(context, Peer.REFUSED);
            return Peer.REFUSED;
        }
        peer.noteEarlyCount(context, ContextStates.use(state));
        return ContextStates.barrierIncarnation(ContextStates.use(state));
    }

    /** Returns true if the incarnation is that of the barrier counter of a context with the unknown use. */
    boolean isUnknown(int counter, int incarnation) {
        return incarnation == UNKNOWN_BARRIER && counter >= 0 && counter < uses.length;
    }

    private int use(int context) {
        if (uses[context] == ContextStates.UNKNOWN_USE) {
            uses[context] = ContextStates.use(mirror.stateAcquire(context));
        }
        return uses[context];
    }

    /** Returns the rank of this node. */
    int self() {
        return self;
    }

    Link link() {
        return link;
    }

    PendingRequests requests() {
        return requests;
    }

    /** Returns the count of the hits of received packets. */
    HitCount hits() {
        return landedHits;
    }

    /** Returns the log of a stream's packets. */
    Unlanded unlanded(int stream) {
        return unlanded[stream];
    }

    /** Returns the credit for records that are sent in a stream, or null for a stream without records. */
    @Nullable
    LaneCredits credits(int stream) {
        return stream < 0 || stream >= credits.length ? null : credits[stream];
    }

    /**
     * Returns {@link Landing#LANDED} while the peer can be reached, otherwise the code of the reason. Returns
     * {@link Landing#NO_ROOM} between the failure or end of the link and its report in the peer's state, which
     * {@link #endLost} makes when all received frames are processed, unless the hub does: completions without a counter
     * read that state.
     */
    int reach() {
        return switch (states.stateAcquire(link.rank())) {
            case PeerStates.DEAD -> Refusal.PEER_DEAD.code();
            case PeerStates.CUT -> Refusal.LINK_FAILED.code();
            case PeerStates.LEFT -> Refusal.PEER_LEFT.code();
            default -> link.state() == LinkState.UP ? Landing.LANDED : Landing.NO_ROOM;
        };
    }

    /** Returns the longest payload of a packet. */
    int payloadLimit() {
        return payloadLimit;
    }

    /**
     * Returns the only packet of the next frame of a stream, with its head and length written; {@link #publish} sends
     * it. The caller ensures that the stream has room. A link that fails meanwhile sends nothing, nor does one to a
     * peer that has left.
     */
    Packet claim(int stream, int kind, int flags, int payloadLength) {
        claimFrame(stream, 1, Frame.packetLength(payloadLength));
        final Packet claimed = isClaimed ? packet : unsent.wrap(0);
        return claimed.head(kind, flags, self, link.rank()).payloadLength(payloadLength);
    }

    private void claimFrame(int stream, int packets, int length) {
        final long frame = isDropping ? Link.NO_ROOM : link.claim(stream, Frame.LENGTH + length);
        isClaimed = frame != Link.NO_ROOM;
        if (isClaimed) {
            acknowledgement.write(link.memory(), frame, packets, landedHits.low());
            packet.wrap(frame + Frame.LENGTH);
        }
    }

    void publish(int stream) {
        if (isClaimed) {
            link.commit(stream);
            acknowledgement.sent(stream, 1);
        }
    }

    /**
     * Sends the claimed packet, which a descriptor of {@code fifo} depends on.
     *
     * @param message number of its message, or {@link PartialMessage#NO_MESSAGE} for one of a single packet
     * @param injectionCounter counter that it completes, or -1
     * @param bytes bytes by which it counts that counter down
     */
    void publish(int stream, InjectionFifoConsumer fifo, int message, int injectionCounter, int bytes) {
        publish(stream);
        unlanded[stream].add(fifo, message, injectionCounter, bytes);
    }

    /** Sets the bytes, operations and records of the packet that was sent last, as {@link Unlanded#contents} does. */
    void contents(int stream, int size, int operations, int records) {
        unlanded[stream].contents(size, operations, records);
    }

    /** Sends the claimed packet, which is a request. */
    void publishRequest(int stream) {
        publish(stream);
        unlanded[stream].add(null, PartialMessage.NO_MESSAGE, Descriptor.NO_COUNTER, 0);
    }

    /** Returns true if a stream has room for a packet of any length. */
    boolean hasRoom(int stream) {
        return hasRoom(stream, 1);
    }

    /** Returns true if a stream has room for packets of any length. */
    boolean hasRoom(int stream, long packets) {
        return (isDropping || link.hasRoom(stream, packets * link.frameLimit())) && unlanded[stream].hasRoom(packets);
    }

    /** Returns true if a stream has room for packets of a FIFO, of any length, and it is the turn of this FIFO. */
    boolean hasRoom(int stream, long packets, InjectionFifoConsumer fifo) {
        final DemandQueue queue = demands[stream];
        if (queue.isTurn(fifo) && hasRoom(stream, packets)) {
            queue.served(fifo);
            return true;
        }
        queue.await(fifo);
        return false;
    }

    /**
     * Returns the number of packets for which a stream must have room before it takes one that is a part of a long
     * message: one if the stream carries few in all.
     */
    long roomOfPart(int stream) {
        return 1 + Math.max(0, Math.min(carried[stream], Unlanded.LIMIT / 2) - PARTS);
    }

    /** Records that a FIFO no longer looks for room in a stream. */
    void endDemand(int stream, InjectionFifoConsumer fifo) {
        demands[stream].served(fifo);
    }

    /** Returns true if an empty stream has room for successive packets. */
    boolean carries(int stream, long packets) {
        return packets <= carried[stream];
    }

    /** Returns the number of the packet of a stream that is processed next. */
    int processed(int stream) {
        return acknowledgement.processed(stream);
    }

    /** Records that packets of a stream have been landed or refused. */
    void processed(int stream, int packets) {
        acknowledgement.processed(stream, packets);
    }

    /** Records that a frame with packets to acknowledge was received. */
    void received(int bytes) {
        acknowledgement.received(bytes);
    }

    /** Records the flags of a processed packet, which are not validated. */
    void processedFlags(int flags) {
        acknowledgement.flags(flags);
    }

    /**
     * Charges a record for a context, after the stream was found to have room. If the peer has no lane for such a
     * record, one is demanded. Returns false while there is no credit.
     */
    boolean charge(int stream, int contextId, long bodyLength, InjectionFifoConsumer fifo) {
        final LaneCredits credit = credits[stream];
        if (credit == null || credit.charge(contextId, bodyLength, fifo)) {
            return true;
        }
        final int wanted = credit.wanted(contextId);
        if (wanted != 0) {
            demand(stream, Endpoint.contextOf(contextId), wanted, credit.needed(contextId));
            credit.demanded(contextId);
        }
        return false;
    }

    /** Charges a record that a lane {@link #canHold}, if there is credit for it now. Nothing is sent. */
    boolean chargeNow(int stream, int contextId, long bodyLength, InjectionFifoConsumer fifo) {
        final LaneCredits credit = credits[stream];
        return credit != null && credit.charge(contextId, bodyLength, fifo);
    }

    /** Charges up to {@code most} equally long records, as far as there is credit now. Returns their number. */
    int chargeSome(int stream, int contextId, long bodyLength, int most, InjectionFifoConsumer fifo) {
        final LaneCredits credit = credits[stream];
        return credit == null ? 0 : credit.chargeSome(contextId, bodyLength, most, fifo);
    }

    /** Returns true if the context of an id exists and a lane there can hold such a record. */
    boolean canHold(int stream, int contextId, long bodyLength) {
        final LaneCredits credit = credits[stream];
        return credit != null && credit.canHold(contextId, bodyLength);
    }

    /** Records that a PUT of several packets begins, which has charged a notice for the context of an id. */
    void begun(int stream, int contextId) {
        final LaneCredits credit = credits[stream];
        if (credit != null) {
            credit.begun(contextId);
        }
    }

    /** Records that such a PUT has ended. */
    void finished(int stream, int contextId) {
        final LaneCredits credit = credits[stream];
        if (credit != null) {
            credit.finished(contextId);
        }
    }

    /** Gives up the lanes that the peer wants back, as far as there is room. */
    void giveUpLanes() {
        giveUpLanes(Frame.REQUESTS);
        giveUpLanes(Frame.HANDLER_REPLIES);
    }

    private void giveUpLanes(int stream) {
        final LaneCredits credit = credits[stream];
        while (credit != null && credit.recalled() >= 0 && hasRoom(stream)) {
            final int context = credit.recalled();
            demand(stream, context, 0, 0);
            credit.gaveUp(context);
        }
    }

    private void demand(int stream, int context, int bytes, int least) {
        claim(stream, PacketKind.DEMAND, Packet.FIRST, 0).target(context, least, bytes);
        publishRequest(stream);
    }

    /**
     * Sends the counts of processed packets if they are due. The engine {@code isIdle} if it has received nothing.
     */
    void acknowledge(boolean isIdle) {
        if (acknowledgement.isDue(isIdle)) {
            sendCounts();
        }
    }

    /** Sends all counts that no frame of replies has carried. */
    void confirm() {
        if (acknowledgement.isUnconfirmed()) {
            sendCounts();
        }
    }

    private void sendCounts() {
        if (link.hasRoom(Frame.REPLIES, 1)) {
            claimFrame(Frame.REPLIES, 0, 0);
            if (isClaimed) {
                link.commit(Frame.REPLIES);
                acknowledgement.sent(Frame.REPLIES, 0);
            }
        }
    }

    /** Receives the counts of a frame of the peer. Returns false if they are impossible. */
    boolean acknowledged(int stream, Memory memory, long frame) {
        return landed.received(stream, memory, frame, acknowledgement.processed(Frame.REPLIES));
    }

    /** Applies the counts that have waited for the replies that are processed now. */
    void repliesProcessed() {
        landed.repliesProcessed(acknowledgement.processed(Frame.REPLIES));
    }

    /** Returns true while something that was sent has not landed. */
    boolean isPending() {
        return !requests.isEmpty() || !unlanded[Frame.REQUESTS].isEmpty() || !unlanded[Frame.HANDLER_REPLIES].isEmpty();
    }

    /**
     * Ends what was sent and can no longer be answered, because the peer has died or left or the link has failed.
     * Called when all received frames are processed. What was sent to a peer that has left succeeds, as over mapped
     * memory, except for requests. A peer that has ended the link probably leaves: the hub has some time to report it.
     */
    boolean endLost() {
        final int sent = reach();
        if (sent == Landing.NO_ROOM && awaitsReport()) {
            return false;
        }
        final int reached = sent == Landing.NO_ROOM ? Refusal.LINK_FAILED.code() : sent;
        if (reached == Landing.LANDED) {
            return false;
        }
        isDropping = reached == Refusal.PEER_LEFT.code();
        if (isDropping) {
            end(reached, Landing.LANDED);
        } else {
            final int rank = link.rank();
            states.change(rank, PeerStates.CUT);
            end(reached, reached);
        }
        return true;
    }

    private boolean awaitsReport() {
        if (link.state() != LinkState.ENDED) {
            return false;
        }
        final long nowNs = Deadline.nowNs();
        if (!isUnreported) {
            isUnreported = true;
            endedNs = nowNs;
        }
        return nowNs - endedNs < REPORT_NS;
    }

    private void end(int ofRequests, int ofMessages) {
        requests.failAll(ofRequests);
        unlanded[Frame.REQUESTS].end(ofMessages);
        unlanded[Frame.HANDLER_REPLIES].end(ofMessages);
    }
}
