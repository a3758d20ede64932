package org.segno.message;

import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.memory.Window;
import org.segno.status.Refusal;
import org.segno.status.Status;

/** Messages that were announced here: their handlers say where they shall land, and some of them are on their way. One thread. */
final class Arrivals {
    /** Messages that are fetched at a time. */
    static final int SLOTS = 8;

    private final Context context;
    private final Arrival[] arrivals = new Arrival[SLOTS];
    private final Int2ObjectHashMap<MessageHandler> handlers = new Int2ObjectHashMap<>();
    private final LandingPlace place = new LandingPlace();
    private int underWay;

    Arrivals(Client client, Context context) {
        this.context = context;
        final InjectionFifo fetches = context.injectionFifo();
        final Window answers = client.window((long) SLOTS * Long.BYTES);
        for (int i = 0; i < SLOTS; i++) {
            arrivals[i] = new Arrival(fetches, client.injectionCounter(), answers, i * Long.BYTES);
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

    /** Goes on with all of them as far as they can. */
    void poll() {
        if (isEmpty()) {
            return;
        }
        int still = 0;
        for (final Arrival arrival : arrivals) {
            if (!arrival.isFree()) {
                arrival.poll();
                still += arrival.isFree() ? 0 : 1;
            }
        }
        underWay = still;
    }

    /**
     * A message is announced, and {@link #hasRoom}.
     *
     * @return zero, or {@link Status#AGAIN} while its handler has no place for it
     */
    long begin(int source, DirectBuffer buffer, int metadata, int metadataLength, int announcement) {
        final int dispatchId = Announcement.dispatchId(buffer, announcement);
        final MessageHandler handler = handlers.get(dispatchId);
        final long length = Announcement.length(buffer, announcement);
        place.ask(length);
        int refusal = 0;
        if (handler == null) {
            refusal = Refusal.NO_HANDLER.code();
            context.unhandled(source, dispatchId);
        } else if (length < 0) {
            refusal = Refusal.BAD_LENGTH.code();
        } else if (!handler.onLongMessage(source, buffer, metadata, metadataLength, length, place)) {
            return Status.AGAIN;
        } else if (place.window == null) {
            refusal = Refusal.DECLINED.code();
        }
        free().begin(source, buffer, announcement, place, refusal);
        underWay++;
        return 0;
    }

    private Arrival free() {
        for (final Arrival arrival : arrivals) {
            if (arrival.isFree()) {
                return arrival;
            }
        }
        throw new AssertionError("no arrival is free: " + underWay + " of " + SLOTS + " are under way");
    }
}
