package org.segno.message;

import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.InjectionFifo;
import org.segno.counter.InjectionCounter;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.status.Refusal;
import org.segno.status.Status;
import org.segno.work.Work;

/**
 * Sends messages of any length through a context, and takes them.
 *
 * <p>Up to the eager limit a message is one record in the target's lane, copied twice. A longer one goes by <em>rendezvous</em>: it is
 * announced, the receiver's handler says where it shall land, the receiver's engine fetches it there from the sender's window, without
 * the sender's application, and tells the sender. Both ends open a messenger. Announcements travel among the other messages of the same
 * context and keep their order; what they announce lands whenever it does.
 *
 * <p>Nothing grows: {@value Departures#SLOTS} long messages may be under way from here and {@value #ARRIVALS} to here, and whoever finds
 * no room is told, or held back in its lane. Used by one thread, the one that holds the context; it works within {@code advance}.
 */
public final class Messenger {
    /** Long messages that are fetched at a time. */
    static final int ARRIVALS = 8;

    private final Context context;
    private final EagerSends eager;
    private final Departures departures;
    private final Arrival[] arrivals = new Arrival[ARRIVALS];
    private final Int2ObjectHashMap<MessageHandler> handlers = new Int2ObjectHashMap<>();
    private final LandingPlace place = new LandingPlace();
    private final Work work = this::poll;
    private long eagerLimit = Long.MAX_VALUE;
    private boolean working;

    private Messenger(Client client, Context context) {
        this.context = context;
        // Before anything is taken: a context that has a messenger refuses.
        context.replyingHandler(Announcement.DISPATCH_ID, this::onAnnouncement);
        this.eager = new EagerSends(context);
        this.departures = new Departures(client, context);
        final InjectionFifo fetches = context.injectionFifo();
        final Window answers = client.window((long) ARRIVALS * Long.BYTES);
        for (int i = 0; i < ARRIVALS; i++) {
            final InjectionCounter counter = client.injectionCounter();
            arrivals[i] = new Arrival(fetches, counter, answers, i * Long.BYTES);
        }
    }

    /**
     * Opens the messenger of a context, which has one. Takes an injection FIFO, {@value #ARRIVALS} injection counters, one reception counter and
     * some 4 KiB of window memory, and a reception counter more for each window of which long messages are sent.
     *
     * @throws IllegalArgumentException if the window memory has no room
     * @throws IllegalStateException if it has one already, or not enough counters or FIFOs are left; says what to raise
     */
    public static Messenger open(Client client, Context context) {
        return new Messenger(client, context);
    }

    /**
     * Bytes of metadata and payload up to which a message goes at once; what is longer than a quarter of the target's lane never does. Every
     * message, once that is zero, goes by rendezvous, so that it is copied once.
     */
    public Messenger eagerLimit(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("the eager limit counts bytes: eagerLimit=" + bytes);
        }
        eagerLimit = bytes;
        return this;
    }

    /** Registers the handler of a dispatch id, 0 to 65,534; another one for the same id replaces it. Before peers send to it. */
    public void handler(int dispatchId, MessageHandler handler) {
        if (dispatchId == Announcement.DISPATCH_ID) {
            throw new IllegalArgumentException(
                    "dispatch id " + dispatchId + " is kept for announcements: choose a lower one");
        }
        context.handler(dispatchId, handler);
        handlers.put(dispatchId, handler);
    }

    /** As the other {@code send}; nobody hears of its end. */
    public long send(Message message) {
        return send(message, null);
    }

    /**
     * Sends a message of any length. Its payload belongs to the engine until {@code completion} hears that it lies with the target: of
     * a short one in its lane, of a long one where its handler wanted it.
     *
     * @return zero or more, or {@link Status#BACK_PRESSURED} while there is no room: advance then
     * @throws IllegalArgumentException as {@link Context#send} does, but never for the payload's length
     * @throws IllegalStateException in a handler or inside {@code record}, or if a reception counter for its window is missing; says what to raise
     */
    public long send(Message message, @Nullable Completion completion) {
        final Window payload = message.window();
        final long most = Math.min(context.longestFor(message), eagerLimit - message.metadataLength());
        if (payload == null || message.length() <= most) {
            return sendEagerly(message, completion);
        }
        requireNotRecording();
        if (!works()) {
            return Status.BACK_PRESSURED;
        }
        return departures.announce(message, payload, completion);
    }

    /** Long messages of {@code window} have all ended, and it is to be closed: takes back the right to read it. */
    public void release(Window window) {
        departures.release(window);
    }

    private long sendEagerly(Message message, @Nullable Completion completion) {
        if (completion == null) {
            return context.send(message);
        }
        requireNotRecording();
        if (!eager.hasRoom() || !works()) {
            return Status.BACK_PRESSURED;
        }
        final long position = context.send(message);
        if (position >= 0) {
            eager.add(position, message.rank(), completion);
        }
        return position;
    }

    private void requireNotRecording() {
        if (context.isRecording()) {
            throw new IllegalStateException(
                    "a message that is long, or whose end is to be heard of, cannot be replayed:"
                            + " inside record send with Context.send, or put");
        }
    }

    /** Sees to it that {@link #poll} runs within the next advance; false if the context cannot take that now. */
    private boolean works() {
        if (!working) {
            working = context.post(work) >= 0;
        }
        return working;
    }

    private long poll() {
        boolean threw = true;
        try {
            pollAll();
            threw = false;
        } finally {
            if (threw) {
                // Work that throws is not run again, but there is more to do than what threw.
                working = false;
                works();
            }
        }
        return working ? Status.AGAIN : 0;
    }

    private void pollAll() {
        if (!eager.isEmpty()) {
            eager.poll();
        }
        if (!departures.isEmpty()) {
            departures.poll();
        }
        boolean arriving = false;
        for (final Arrival arrival : arrivals) {
            if (!arrival.isFree()) {
                arrival.poll();
                arriving |= !arrival.isFree();
            }
        }
        working = arriving || !departures.isEmpty() || !eager.isEmpty();
    }

    private long onAnnouncement(
            int source, DirectBuffer buffer, int metadata, int metadataLength, int payload, int payloadLength) {
        if (payloadLength != Announcement.LENGTH) {
            // No messenger says so: there is nobody to be told.
            return 0;
        }
        final Arrival arrival = free();
        if (arrival == null || !works()) {
            return Status.AGAIN;
        }
        final MessageHandler handler = handlers.get(Announcement.dispatchId(buffer, payload));
        final long length = Announcement.length(buffer, payload);
        place.ask(length);
        int refusal = 0;
        if (handler == null) {
            refusal = Refusal.NO_HANDLER.code();
        } else if (length < 0) {
            refusal = Refusal.BAD_LENGTH.code();
        } else if (!handler.onLongMessage(source, buffer, metadata, metadataLength, length, place)) {
            return Status.AGAIN;
        } else if (place.window == null) {
            refusal = Refusal.DECLINED.code();
        }
        arrival.begin(source, buffer, payload, place, refusal);
        return 0;
    }

    private @Nullable Arrival free() {
        for (final Arrival arrival : arrivals) {
            if (arrival.isFree()) {
                return arrival;
            }
        }
        return null;
    }
}
