package org.segno.context;

import java.util.Objects;
import java.util.function.IntConsumer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.engine.dispatch.Announcement;
import org.segno.engine.dispatch.DispatchTable;
import org.segno.engine.fifo.InjectionFifoProducer;
import org.segno.engine.fifo.LaneMessageHandler;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.fifo.LinkedLanes;
import org.segno.engine.fifo.ReceptionFifo;
import org.segno.engine.fifo.RecordHandler;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.metrics.ErrorLog;
import org.segno.engine.metrics.Metric;
import org.segno.engine.metrics.NodeMetrics;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.ReceptionCounter;
import org.segno.memory.Target;
import org.segno.operation.ActiveMessageHandler;
import org.segno.operation.CounterHandler;
import org.segno.operation.NotificationHandler;
import org.segno.operation.ReplyingHandler;
import org.segno.operation.Rmw;
import org.segno.status.Refusal;
import org.segno.status.SegnoException;

/** Poller of a context's lanes, which passes their records to handlers. Used by one thread. */
final class Reception implements RecordHandler {
    private final Lanes lanes;
    private final Injector sender;
    private final FifoSet fifos;
    private final DispatchTable dispatch;
    private final NodeMetrics metrics;
    private final ErrorLog errors;
    private final boolean[] pendingHits;
    private final @Nullable Runnable[] fillEvents;
    private final @Nullable Runnable[] freeEvents;
    private final InjectionEvents injections = new InjectionEvents();
    private final OwedHits owed;
    private final IntConsumer handlerOfHits = this::callHandler;
    private final Rmw result = new Rmw();
    private final UnsafeBuffer notice = new UnsafeBuffer(new byte[Integer.BYTES]);
    private int pendingHitCount;

    /** True once a counter is watched for events that no lane contains. Before that, a poll looks for none. */
    private boolean isWatching;

    private int received;
    private boolean inReplies;

    /** Creates the reception of context {@code context}, whose replies {@code sender} sends. */
    Reception(NodeShare share, int context, Injector sender, ContextParts parts, FifoSet fifos) {
        final NodeMemory node = share.node();
        this.sender = sender;
        this.fifos = fifos;
        final int counters = node.layout().dimensions().receptionCounters();
        this.lanes = parts.lanes();
        this.owed = new OwedHits(node, context);
        this.dispatch = new DispatchTable(counters);
        this.metrics = share.metrics().get(context);
        this.errors = share.errors();
        this.pendingHits = new boolean[counters];
        this.fillEvents = new Runnable[node.layout().dimensions().fifos()];
        this.freeEvents = new Runnable[fillEvents.length];
    }

    /**
     * The lanes into a context.
     *
     * @param ordinary lanes for the sends of applications
     * @param replies lanes for the sends of handlers
     */
    record Lanes(ReceptionFifo ordinary, ReceptionFifo replies) {
        static Lanes of(NodeMemory node, int context, LinkedLanes linked) {
            return new Lanes(ReceptionFifo.of(node, context, linked), ReceptionFifo.ofReplies(node, context, linked));
        }

        /** Returns the number of lanes of one kind: as many polls without a record poll all of them. */
        int count() {
            return Math.max(ordinary.lanes(), replies.lanes());
        }

        /** Drops all records, and returns the number of messages among them. */
        int drain() {
            final DroppedRecords dropped = new DroppedRecords();
            ordinary.drain(dropped);
            replies.drain(dropped);
            return dropped.messages();
        }
    }

    /** Returns the lanes, for the next use of the context. */
    Lanes lanes() {
        return lanes;
    }

    DispatchTable dispatch() {
        return dispatch;
    }

    int poll(int limit) {
        // Replies are polled first, and their handlers never send. Work that waits for room in the reply lanes is thus
        // guaranteed to get it.
        inReplies = true;
        int records = lanes.replies().poll(this, limit);
        inReplies = false;
        records += lanes.ordinary().poll(this, limit);
        received += records;
        if (records == 0 && received != 0) {
            // The metric is updated only in an idle poll, off the latency path.
            metrics.add(Metric.RECEIVED, received);
            received = 0;
        }
        return isWatching ? records + raise() : records;
    }

    /** Raises the events that no lane contains. */
    private int raise() {
        final int events = injections.poll() + owed.poll(handlerOfHits);
        return pendingHitCount == 0 ? events : events + raiseHits();
    }

    /** Calls the handler for the hits and refusals of an injection counter. */
    void onHit(InjectionCounter counter, CounterHandler handler) {
        Objects.requireNonNull(handler, "handler");
        isWatching = true;
        injections.register(counter, handler);
    }

    /** Calls the handler for the hits of a counter, also for those whose events are owed. */
    void onHit(ReceptionCounter counter, CounterHandler handler) {
        Objects.requireNonNull(handler, "handler");
        isWatching = true;
        dispatch.register(counter.id(), handler);
        owed.register(counter);
    }

    /**
     * Returns true while the lanes of {@code origin} contain records that no handler has accepted, or an event of some
     * origin is owed.
     */
    boolean hasRecordsOf(int origin) {
        return owed.isDue()
                || lanes.ordinary().hasRecordsOf(origin)
                || lanes.replies().hasRecordsOf(origin);
    }

    /** Records that an expectation of this context left a counter at or below zero. The next poll runs its handler. */
    void hit(int counter) {
        if (!pendingHits[counter]) {
            isWatching = true;
            pendingHits[counter] = true;
            pendingHitCount++;
        }
    }

    private int raiseHits() {
        int raised = 0;
        for (int counter = 0; counter < pendingHits.length && pendingHitCount > 0; counter++) {
            if (pendingHits[counter]) {
                pendingHits[counter] = false;
                pendingHitCount--;
                callHandler(counter);
                raised++;
            }
        }
        return raised;
    }

    @Override
    public @Nullable LaneMessageHandler handlerOf(int dispatchId) {
        return dispatch.handler(dispatchId);
    }

    @Override
    public boolean onMessage(
            long origin,
            int dispatchId,
            DirectBuffer buffer,
            int metadataOffset,
            int metadataLength,
            int payloadLength) {
        final int payloadOffset = metadataOffset + metadataLength;
        final ReplyingHandler replier = dispatch.replier(dispatchId);
        if (replier == null) {
            return unknown(origin, dispatchId, buffer, payloadOffset, payloadLength);
        }
        // A handler of replies has no FIFO to send to: the call that sends is refused.
        sender.sinks().allowReplies(inReplies ? null : fifos.replies());
        try {
            return replier.onMessage(origin, buffer, metadataOffset, metadataLength, payloadOffset, payloadLength) >= 0;
        } finally {
            sender.sinks().allowReplies(null);
        }
    }

    /** Returns a handler that decodes the notices of PUTs, which travel as messages. */
    ActiveMessageHandler notices(int dispatchId, NotificationHandler handler) {
        Objects.requireNonNull(handler, "handler");
        return (origin, buffer, metadata, metadataLength, payload, payloadLength) -> {
            if (metadataLength != LaneRecord.NOTICE_LENGTH || payloadLength != 0) {
                // A malformed message of a peer must not end the thread that advances here.
                unhandled(origin, dispatchId);
                return;
            }
            handler.onLanded(
                    origin,
                    (int) buffer.getLong(metadata + LaneRecord.NOTICE_COUNTER_OFFSET),
                    buffer.getLong(metadata + LaneRecord.NOTICE_OFFSET_OFFSET),
                    buffer.getLong(metadata + LaneRecord.NOTICE_BYTES_OFFSET));
        };
    }

    /**
     * Drops a message without a handler, after processing the two kinds that the library itself sends. Returns false if
     * the message must be delivered again.
     */
    private boolean unknown(long origin, int dispatchId, DirectBuffer buffer, int payloadOffset, int payloadLength) {
        if (dispatchId == Announcement.DISPATCH_ID && payloadLength == Announcement.LENGTH) {
            return refuse(origin, buffer, payloadOffset);
        }
        if (dispatchId == DispatchTable.NO_HANDLER_THERE && payloadLength == Integer.BYTES) {
            errors.record(new SegnoException("rank " + Endpoint.task(origin) + " has no handler for dispatch id "
                    + buffer.getInt(payloadOffset)
                    + "; it dropped this rank's messages to that id. Register handlers before peers send"));
            return true;
        }
        unhandled(origin, dispatchId);
        return true;
    }

    /**
     * Refuses an announcement for which no messenger is open. The reply is written by an atomic change, because there
     * is no memory to put it from. Every announcement is refused separately, since each sender waits for its own reply.
     */
    private boolean refuse(long origin, DirectBuffer buffer, int announcement) {
        final int slot = Announcement.slot(buffer, announcement);
        if (slot >= 0 && allowRefusal(origin)) {
            final int replyCounter = Announcement.replyCounter(buffer, announcement);
            final int incarnation = Announcement.replyCounterIncarnation(buffer, announcement);
            result.swap(Announcement.reply(Announcement.ticket(buffer, announcement), Refusal.NO_MESSENGER.code()));
            try {
                final Target target =
                        new Target(Endpoint.task(origin), replyCounter, incarnation, Long.MAX_VALUE, false);
                if (sender.rmw(target, (long) slot * Long.BYTES, result) < 0) {
                    return false;
                }
            } finally {
                sender.sinks().allowReplies(null);
            }
        }
        unhandled(origin, Announcement.dispatchId(buffer, announcement));
        return true;
    }

    /** Allows an atomic change that refuses an announcement; returns false if there is no FIFO for it. */
    private boolean allowRefusal(long origin) {
        if (!inReplies) {
            if (fifos.canReply()) {
                fifos.openReplies();
                sender.sinks().allowReplies(fifos.replies());
            }
            return fifos.canReply();
        }
        // Not through the FIFO for replies: that may wait for the peer, which may wait for this lane.
        final InjectionFifoProducer refusals = fifos.refusals();
        if (refusals == null) {
            errors.record(new SegnoException("rank " + Endpoint.task(origin) + " announced a long reply to a context"
                    + " that has neither a messenger nor a FIFO left to refuse it: open a messenger before sending"
                    + " requests, or raise NodeConfig.withFifos"));
            return false;
        }
        sender.sinks().allowRefusal(refusals);
        return true;
    }

    /** Counts a message that has no handler, and notifies its sender. */
    void unhandled(long origin, int dispatchId) {
        metrics.add(Metric.UNKNOWN_DISPATCH, 1);
        final long count = metrics.get(Metric.UNKNOWN_DISPATCH);
        if (count == 1) {
            errors.record(
                    new SegnoException(
                            "rank " + Endpoint.task(origin) + " sent a message for dispatch id " + dispatchId
                                    + ", for which no handler is registered; it was dropped. Register handlers before peers send"));
        }
        // Senders are notified at powers of two only, so that a flood of messages does not cause a flood of notices.
        if (Long.bitCount(count) == 1 && !inReplies && fifos.canReply()) {
            notice.putInt(0, dispatchId);
            fifos.openReplies();
            sender.sinks().allowReplies(fifos.replies());
            try {
                sender.sendImmediate(origin, DispatchTable.NO_HANDLER_THERE, notice, 0, Integer.BYTES);
            } finally {
                sender.sinks().allowReplies(null);
            }
        }
    }

    @Override
    public void onEvent(int counter) {
        callHandler(counter);
        // The poll of its lane counts it as a record. Events are no messages, and over links no records either.
        received--;
    }

    private void callHandler(int counter) {
        final CounterHandler handler = dispatch.counterHandler(counter);
        if (handler != null) {
            handler.onHit(counter);
        }
    }

    /** Registers the event for the threshold of the fill of the context's FIFO {@code number}. */
    void onFillEvent(int number, Runnable event) {
        fillEvents[number] = event;
    }

    /** Registers the event for the threshold of the free slots of the context's FIFO {@code number}. */
    void onFreeEvent(int number, Runnable event) {
        freeEvents[number] = event;
    }

    @Override
    public void onFifoEvent(int number) {
        final Runnable[] events = (number & LaneRecord.FREE_EVENT) == 0 ? fillEvents : freeEvents;
        final int fifo = number & ~LaneRecord.FREE_EVENT;
        // The number was read from a lane, so it is validated here.
        final Runnable event = fifo < events.length ? events[fifo] : null;
        if (event != null) {
            event.run();
        }
    }

    @Override
    public void onQuarantine(int origin) {
        metrics.add(Metric.QUARANTINED_LANES, 1);
        errors.record(
                new SegnoException("the lane of rank " + origin + " is no longer read: " + Refusal.BAD_LANE.reason()));
    }
}
