package org.segno.message;

import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.segno.context.Client;
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
    private final LandingPlace place;
    private int underWay;

    RendezvousReceives(Client client, Context context, MessengerResources own) {
        this.context = context;
        this.place = new LandingPlace(client);
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
     * Starts a message that was announced; {@link #hasRoom} must be true.
     *
     * @return zero, or {@link Status#AGAIN} while its handler has no location for it
     */
    long begin(long origin, DirectBuffer buffer, int metadata, int metadataLength, int announcement) {
        final int dispatchId = Announcement.dispatchId(buffer, announcement);
        final MessageHandler handler = handlers.get(dispatchId);
        final long length = Announcement.length(buffer, announcement);
        place.ask(length);
        if (handler == null) {
            ContextAccess.unhandled(context, origin, dispatchId);
            begin(Endpoint.task(origin), buffer, announcement, Refusal.NO_HANDLER.code());
            return 0;
        }
        if (length < 0) {
            begin(Endpoint.task(origin), buffer, announcement, Refusal.BAD_LENGTH.code());
            return 0;
        }
        boolean again = false;
        int refusal = Refusal.DECLINED.code();
        try {
            again = !handler.onLongMessage(origin, buffer, metadata, metadataLength, length, place);
            refusal = place.window == null ? refusal : 0;
        } finally {
            // Also started if the handler throws, because the sender waits for a result.
            if (!again) {
                begin(Endpoint.task(origin), buffer, announcement, refusal);
            }
        }
        return again ? Status.AGAIN : 0;
    }

    private void begin(int source, DirectBuffer buffer, int announcement, int refusal) {
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
