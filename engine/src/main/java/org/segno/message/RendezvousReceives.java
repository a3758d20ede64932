package org.segno.message;

import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.engine.dispatch.Announcement;
import org.segno.geometry.Endpoint;
import org.segno.status.Refusal;
import org.segno.status.Status;

/**
 * Announced messages to this rank: those that wait for a handler's choice of a location, and those in progress. Used by
 * one thread.
 */
final class RendezvousReceives {
    /** Limit of messages that are fetched at a time. */
    static final int SLOTS = 8;

    private final Context context;
    private final RendezvousReceive[] receives = new RendezvousReceive[SLOTS];
    private final Int2ObjectHashMap<MessageHandler> handlers = new Int2ObjectHashMap<>();
    private final ReceivedMessage message;
    private final DeferredMessages deferred;
    private int underWay;

    RendezvousReceives(Context context, MessengerResources own, ReceivedMessage message, DeferredMessages deferred) {
        this.context = context;
        this.message = message;
        this.deferred = deferred;
        for (int i = 0; i < SLOTS; i++) {
            final int reply = MessengerResources.REPLIES_OFFSET + i * Long.BYTES;
            receives[i] = new RendezvousReceive(own.fetches(), own.counters().get(i), own.window(), reply);
        }
    }

    void handler(int dispatchId, MessageHandler handler) {
        handlers.put(dispatchId, handler);
    }

    boolean isEmpty() {
        return underWay == 0;
    }

    boolean hasRoom() {
        return underWay < SLOTS;
    }

    /** Advances all of them as far as possible, and returns the number that changed state. */
    int poll() {
        int gotOn = 0;
        int still = 0;
        for (final RendezvousReceive receive : receives) {
            if (!receive.isFree()) {
                gotOn += receive.poll() ? 1 : 0;
                still += receive.isFree() ? 0 : 1;
            }
        }
        underWay = still;
        return gotOn;
    }

    /**
     * Passes an announced message to its handler and starts it; {@link #hasRoom} must be true.
     *
     * @return zero, or {@link Status#AGAIN} if the handler must receive it again
     */
    long begin(long origin, DirectBuffer buffer, int metadata, int metadataLength, int announcement) {
        final int dispatchId = Announcement.dispatchId(buffer, announcement);
        final MessageHandler handler = handlers.get(dispatchId);
        final long length = Announcement.length(buffer, announcement);
        message.beginLong(origin, dispatchId, buffer, metadata, metadataLength, length);
        boolean again = false;
        long token = 0;
        int refusal = Refusal.DECLINED.code();
        try {
            if (handler == null) {
                refusal = Refusal.NO_HANDLER.code();
                ContextAccess.unhandled(context, origin, dispatchId);
            } else if (length < 0) {
                refusal = Refusal.BAD_LENGTH.code();
            } else {
                again = handler.onMessage(message) < 0;
                token = message.token();
                refusal = message.place().isSet() ? 0 : refusal;
            }
        } finally {
            message.end();
            // Also started if the handler throws, because the sender waits for a result.
            if (!again && token != 0) {
                deferred.add(token, buffer, announcement);
            } else if (!again) {
                begin(Endpoint.task(origin), buffer, announcement, message.place(), refusal);
            }
        }
        return again ? Status.AGAIN : 0;
    }

    /**
     * Starts a message of {@code source} that was accepted for {@code place}, or declined; {@link #hasRoom} must be
     * true.
     *
     * @param refusal zero, or the reason of the refusal
     */
    void begin(int source, DirectBuffer buffer, int announcement, LandingPlace place, int refusal) {
        free().begin(source, buffer, announcement, place, refusal);
        underWay++;
    }

    private RendezvousReceive free() {
        for (final RendezvousReceive receive : receives) {
            if (receive.isFree()) {
                return receive;
            }
        }
        throw new AssertionError("no arrival is free: " + underWay + " of " + SLOTS + " are in progress");
    }
}
