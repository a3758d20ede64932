package org.segno.message;

import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.NodeShare;
import org.segno.dispatch.Announcement;
import org.segno.memory.Window;
import org.segno.operation.Hint;
import org.segno.operation.Message;
import org.segno.operation.MessageLimits;
import org.segno.status.ClosedException;
import org.segno.status.Status;
import org.segno.work.Work;

/**
 * Sends messages of any length through a context, and takes them.
 *
 * <pre>
 *  metadata and payload    travels                                                payload is the caller's    lies with the target
 *                                                                                 again: local completion    remote completion
 *  to the immediate limit  <em>immediately</em>: in the descriptor                            when send has answered     when carried out
 *  to the eager limit      <em>eagerly</em>: one record in the target's lane, copied twice    when carried out           when carried out
 *  longer                  by <em>rendezvous</em>: announced, fetched, copied once            when fetched               when fetched
 * </pre>
 *
 * <p>By rendezvous the receiver's handler says where a message shall land, the receiver's engine fetches it there from the sender's window,
 * without the sender's application, and tells the sender. Both ends open a messenger. The limits are the node's: {@code
 * NodeConfig.withImmediateLimitBytes} and {@code withEagerLimitBytes}. A message that a counter completes is not immediate, nor is any
 * inside {@code record}, where its bytes are read anew in every replay; a {@link org.segno.operation.Hint} goes before the limits.
 *
 * <p>Handlers are called in the order of sending, for all that goes from one context to one endpoint, however it travels: an announcement keeps its
 * place among the other messages, so that order costs nothing and need not be asked for. What was announced lands whenever it does.
 *
 * <p>Nothing grows: of messages that go by rendezvous {@value Departures#SLOTS} may be under way from here and {@value Arrivals#SLOTS} to here, of others as
 * many as the target's lane and the injection FIFO hold, and whoever finds no room is told, or held back in its lane. Used by one
 * thread, the one that holds the context; it works within {@code advance}.
 */
public final class Messenger {
    private final Context context;
    private final MessageLimits limits;
    private final TakenPayloads taken = new TakenPayloads();
    private final EagerSends eager;
    private final Departures departures;
    private final Arrivals arrivals;
    private final Work work = this::poll;
    private boolean working;

    private Messenger(Client client, Context context) {
        this.context = context;
        this.limits = NodeShare.limits(client);
        this.eager = new EagerSends(context);
        final Belongings own = Belongings.take(client, context);
        this.departures = new Departures(client, context, own);
        this.arrivals = new Arrivals(client, context, own);
        // Last: from here on the context has one.
        NodeShare.announcements(context, this::onAnnouncement);
    }

    /**
     * Opens the messenger of a context, which has one. Takes an injection FIFO, {@value Arrivals#SLOTS} injection counters, one reception counter and
     * some 4 KiB of window memory, and a reception counter more for each window of which long messages are sent. One that cannot be
     * opened takes nothing: what it had is given back, as by {@link Client#close(Window)}.
     *
     * @param client that the context belongs to
     * @throws IllegalArgumentException if the window memory has no room, or the context belongs to another client or node
     * @throws IllegalStateException if it has one already, or not enough counters or FIFOs are left; says what to raise
     */
    public static Messenger open(Client client, Context context) {
        return new Messenger(client, context);
    }

    /** Registers the handler of a dispatch id, 0 to 65,534; another one for the same id replaces it. Before peers send to it. */
    public void handler(int dispatchId, MessageHandler handler) {
        if (dispatchId == Announcement.DISPATCH_ID) {
            throw new IllegalArgumentException(
                    "dispatch id " + dispatchId + " is kept for announcements: choose a lower one");
        }
        context.handler(dispatchId, handler);
        arrivals.handler(dispatchId, handler);
    }

    /** As the other {@code send}; nobody hears of its end. */
    public long send(Message message) {
        return send(message, null, null);
    }

    /**
     * Sends a message of any length. Its payload, and metadata that lie in a window, belong to the engine until {@code local} hears that
     * they are the caller's again: of an immediate message they were when this returned. {@code remote} hears that it lies with the
     * target: in its lane, or where its handler wanted it. Both hear within an {@code advance}, {@code local} first; where one moment is
     * both, in the same one. A failure is told to both. That nobody takes a message is one for a message that goes by rendezvous; a
     * shorter one lies with the target all the same, which drops it, counts it, and tells this rank in its error log.
     *
     * @return zero or more, or {@link Status#BACK_PRESSURED} while there is no room: advance then
     * @throws IllegalArgumentException as {@link Context#send} does, for the payload's length only with {@link Hint#NO_RENDEZVOUS}
     * @throws IllegalStateException in a handler, or inside {@code record} if it cannot be replayed, or if a reception counter for its
     *     window is missing; says what to do
     */
    public long send(Message message, @Nullable Completion local, @Nullable Completion remote) {
        if (context.isInHandler()) {
            throw new IllegalStateException("a handler cannot send through a messenger: answer with Context.send in a"
                    + " replying handler, or note what to send and send it after advance has returned");
        }
        final Window payload = message.window();
        if (payload == null || !goesByRendezvous(message)) {
            return isImmediate(message) ? sendImmediately(message, local, remote) : sendEagerly(message, local, remote);
        }
        requireNotRecording();
        return works() ? departures.announce(message, payload, local, remote) : Status.BACK_PRESSURED;
    }

    private boolean goesByRendezvous(Message message) {
        final long length = message.length();
        if (length == 0 || message.hint() == Hint.NO_COPY) {
            return length != 0;
        }
        final long longest = context.longestFor(message);
        if (message.hint() == Hint.NO_RENDEZVOUS) {
            if (length > longest) {
                throw new IllegalArgumentException(
                        "the target's lane takes " + longest + " bytes beside the metadata of"
                                + " a message that must not go by rendezvous: payload=" + length
                                + "; leave Hint.NO_RENDEZVOUS away, send it in parts, or raise laneBudgetBytes at the target");
            }
            return false;
        }
        return length > longest || (length > limits.eagerBytes() - message.metadataLength() && !isImmediate(message));
    }

    private boolean isImmediate(Message message) {
        return message.length() <= limits.immediateBytes() - message.metadataLength()
                && message.window() != null
                && message.injectionCounter() == null
                && !context.isRecording();
    }

    private long sendImmediately(Message message, @Nullable Completion local, @Nullable Completion remote) {
        if (local == null && remote == null) {
            return context.sendImmediate(message);
        }
        if (!taken.hasRoom() || !eager.hasRoom() || !works()) {
            return Status.BACK_PRESSURED;
        }
        final long position = context.sendImmediate(message);
        if (position >= 0 && local != null) {
            taken.add(local);
        }
        if (position >= 0 && remote != null) {
            eager.add(position, message.rank(), null, remote);
        }
        return position;
    }

    private long sendEagerly(Message message, @Nullable Completion local, @Nullable Completion remote) {
        if (local == null && remote == null) {
            return context.send(message);
        }
        requireNotRecording();
        if (!eager.hasRoom() || !works()) {
            return Status.BACK_PRESSURED;
        }
        final long position = context.send(message);
        if (position >= 0) {
            eager.add(position, message.rank(), local, remote);
        }
        return position;
    }

    private void requireNotRecording() {
        if (context.isRecording()) {
            throw new IllegalStateException("a message that goes by rendezvous, or whose end is to be heard of, cannot"
                    + " be replayed: inside record send with Context.send, or put");
        }
    }

    /** Messages of {@code window} that go by rendezvous have all ended, and it is to be closed: takes back the right to read it. */
    public void release(Window window) {
        departures.release(window);
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
        int done = 0;
        try {
            done = pollAll();
            threw = false;
        } finally {
            if (threw) {
                // Work that throws is not run again, but there is more to do than what threw.
                working = false;
                works();
            }
        }
        // What has done nothing must not count, or who advances would never idle while a message is under way.
        if (working && (done == 0 || !postsAnew())) {
            return Status.AGAIN;
        }
        return done == 0 ? Status.BUSY : 0;
    }

    private boolean postsAnew() {
        try {
            return context.post(work) >= 0;
        } catch (final ClosedException e) {
            // A wait that goes on for a last look: it says itself what it misses.
            return false;
        }
    }

    private int pollAll() {
        int done = 0;
        if (!taken.isEmpty()) {
            done += taken.poll();
        }
        if (!eager.isEmpty()) {
            done += eager.poll();
        }
        if (!departures.isEmpty()) {
            done += departures.poll();
        }
        if (!arrivals.isEmpty()) {
            done += arrivals.poll();
        }
        working = !arrivals.isEmpty() || !departures.isEmpty() || !eager.isEmpty() || !taken.isEmpty();
        return done;
    }

    private long onAnnouncement(
            int source, DirectBuffer buffer, int metadata, int metadataLength, int payload, int payloadLength) {
        if (payloadLength != Announcement.LENGTH) {
            // No messenger says so: there is nobody to be told.
            return 0;
        }
        return arrivals.hasRoom() && works()
                ? arrivals.begin(source, buffer, metadata, metadataLength, payload)
                : Status.AGAIN;
    }
}
