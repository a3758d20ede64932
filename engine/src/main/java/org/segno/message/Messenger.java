package org.segno.message;

import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.LangUtil;
import org.jspecify.annotations.Nullable;
import org.segno.context.Client;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.engine.dispatch.Announcement;
import org.segno.geometry.Endpoint;
import org.segno.memory.InjectionCounter;
import org.segno.memory.Target;
import org.segno.memory.Window;
import org.segno.operation.Hint;
import org.segno.operation.Message;
import org.segno.operation.OperationAccess;
import org.segno.operation.ReplyingHandler;
import org.segno.operation.Rmw;
import org.segno.operation.Work;
import org.segno.status.ClosedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * Sender and receiver of messages of any length through a context.
 *
 * <pre>
 *  metadata and payload       protocol                                              local completion  remote completion
 *  up to the immediate limit  immediate: in the descriptor                          at return         when carried out
 *  up to the eager limit      eager: one record in the target's lane, copied twice  when carried out  when carried out
 *  longer                     rendezvous: announced, fetched, copied once           when fetched      when fetched
 * </pre>
 *
 * <p>At local completion the caller may overwrite the payload; at remote completion the message is at its target. For a
 * rendezvous, the receiver's handler chooses the location of the message. The receiver's engine fetches it there from
 * the sender's window, without action by the sender's application, and notifies the sender. Both sides open a
 * messenger.
 *
 * <p>The limits belong to the node: {@code NodeConfig.withImmediateLimitBytes} and {@code withEagerLimitBytes}. A
 * message with an injection counter is not immediate. Neither is any message inside {@code record}: its bytes are
 * read again in every replay. A {@link org.segno.operation.Hint} overrides the limits.
 *
 * <p>Handlers are called in the order of sending for all messages from one context to one endpoint, whatever their
 * protocol. An announcement keeps its position among the other messages, so this order is free of cost and always
 * applies. The announced messages themselves land in any order. Replies of handlers have lanes and an order of their
 * own.
 *
 * <p>All resources are bounded. At most {@value RendezvousSends#SLOTS} rendezvous messages and {@value
 * RendezvousSends#REPLY_SLOTS} replies by rendezvous may be in progress from here, and {@value
 * RendezvousReceives#SLOTS} to here, beside deferred ones, which {@code NodeConfig.withDeferredMessages} limits. Other
 * messages are limited by the target's lane and the injection FIFO. A sender without room gets {@link
 * Status#BACK_PRESSURED}, or its messages wait in their lane. Used by the one thread that holds the context; its work
 * is done within {@code advance}.
 */
public final class Messenger {
    private final Context context;
    private final PendingCompletions pending = new PendingCompletions();
    private final ReadableWindows readable;
    private final MessageSends requests;
    private final MessageSends replies;
    private final RendezvousReceives receives;
    private final DeferredMessages deferred;
    private final OneSidedCalls oneSided;
    private final ReceivedMessage received;
    private final Work work = this::poll;
    private boolean working;

    /** Exception of a completion that will be thrown later, because the work queue was full. */
    private @Nullable Throwable thrown;

    private Messenger(Client client, Context context) {
        this.context = context;
        final MessengerResources own = MessengerResources.take(client, context);
        this.readable = new ReadableWindows(client);
        final RendezvousSends ofApplication = RendezvousSends.ofApplication(context, own, readable);
        final RendezvousSends ofHandlers = RendezvousSends.ofHandlers(context, own, readable);
        this.requests = new MessageSends(client, context, context.fifo(), ofApplication, pending, this::works);
        this.replies =
                new MessageSends(client, context, ContextAccess.replies(context), ofHandlers, pending, this::works);
        this.deferred = new DeferredMessages(
                client, context, ContextAccess.limits(client).deferredMessages());
        this.received = new ReceivedMessage(client, deferred, () -> pending.reserve() && works());
        this.receives = new RendezvousReceives(context, own, received, deferred);
        this.oneSided = new OneSidedCalls(client, context);
        ContextAccess.onClosing(context, this::unfinished);
        // Registered last: from here on the context has a messenger.
        ContextAccess.announcements(context, this::onAnnouncement);
    }

    /**
     * Opens the messenger of a context; each context has at most one. It allocates an injection FIFO,
     * {@value RendezvousReceives#SLOTS} injection counters, one reception counter and about 5 KiB of window memory. It
     * also allocates one reception counter for each window from which long messages are sent. If it cannot be opened,
     * everything is freed again, as by {@link Client#close(Window)}.
     *
     * @param client that the context belongs to
     * @throws IllegalArgumentException if the window memory has no room, or the context belongs to another client or
     *     node
     * @throws IllegalStateException if the context has a messenger already, or too few counters or FIFOs are left; the
     *     message names the setting to raise
     */
    public static Messenger open(Client client, Context context) {
        Objects.requireNonNull(client, "client");
        Objects.requireNonNull(context, "context");
        return new Messenger(client, context);
    }

    /**
     * Registers the handler of a dispatch id, 0 to 65,534, replacing an earlier one for the same id. Register it before
     * peers send to it.
     */
    public void handler(int dispatchId, MessageHandler handler) {
        Objects.requireNonNull(handler, "handler");
        context.replyingHandler(dispatchId, new ShortMessages(dispatchId, handler));
        receives.handler(dispatchId, handler);
    }

    /** Sends as the other {@code send}, without completions. */
    public long send(Message message) {
        return send(message, null, null);
    }

    /**
     * Sends a message of any length. The payload, and metadata in a window, belong to the engine until {@code local}
     * runs. For an immediate message they may be overwritten as soon as this returns. {@code remote} runs when the
     * message is at its target: in the lane, or at the location chosen by its handler.
     *
     * <p>Both run within an {@code advance}, {@code local} first, and in the same one if both events coincide. Both
     * receive a failure. A rendezvous message that no handler accepts fails. A shorter one is stored at its target all
     * the same. The target then drops and counts it, and notifies this rank through its error log.
     *
     * <p>In a handler of this messenger, this call sends a <em>reply</em>, to the origin of the handled message alone.
     * A reply has its own FIFO, lane and room: up to {@value RendezvousSends#REPLY_SLOTS} long ones may be in progress.
     * One of up to 248 bytes with its metadata is a record, a longer one goes by rendezvous. A handler that finds no
     * room returns the status, and is called again: it sends first, and does its other work once the send is accepted.
     * Handlers of replies may not send.
     *
     * @return zero or more, or {@link Status#BACK_PRESSURED} while there is no room: advance then, or in a handler
     *     return it
     * @throws IllegalArgumentException as {@link Context#send} does, for the payload's length only with
     *     {@link Hint#NO_RENDEZVOUS}; in a handler for a target other than the origin
     * @throws IllegalStateException in a handler of another kind or of a reply, or inside {@code record} if the message
     *     cannot be replayed, or if no reception counter is left for its window; the message gives the remedy
     */
    public long send(Message message, @Nullable Completion local, @Nullable Completion remote) {
        if (ContextAccess.isInHandler(context)) {
            requireReply(message);
            return replies.send(message, local, remote);
        }
        return requests.send(message, local, remote);
    }

    private void requireReply(Message message) {
        if (!received.isOpen()) {
            throw new IllegalStateException("a handler of the context cannot send through a messenger: reply with"
                    + " Context.send in a replying handler, register it with Messenger.handler,"
                    + " or store the request and send it after advance has returned");
        }
        if (!ContextAccess.isReplying(context)) {
            throw new IllegalStateException("a handler of a reply cannot send: a flood of replies could not be held"
                    + " back otherwise; store the request and send it after advance has returned");
        }
        final long origin = received.origin();
        if (OperationAccess.rank(message) != Endpoint.task(origin)
                || !ContextAccess.targets(context, message, Endpoint.contextId(origin))) {
            throw new IllegalArgumentException("a handler replies to the origin of its message alone, "
                    + Endpoint.toString(origin)
                    + ": send to message.origin(), or send after advance has returned; rank="
                    + OperationAccess.rank(message) + " context=" + OperationAccess.context(message));
        }
    }

    static IllegalStateException notReplayable() {
        return new IllegalStateException("a message with a completion, or one by rendezvous, cannot be replayed:"
                + " inside record use Context.send or put");
    }

    /**
     * Copies as {@link Context#put}, with completions. They run within an {@code advance}, in the order of these calls,
     * and receive a failure: a refusal, or the death of the other rank. At most {@value OneSidedCalls#CAPACITY} of the
     * one-sided calls may be in progress. Each uses an injection counter of the client, which the messenger keeps for
     * later calls.
     *
     * @return zero or more, or {@link Status#BACK_PRESSURED} while there is no room or no counter: advance then
     * @throws IllegalArgumentException as {@link Context#put} does
     * @throws IllegalStateException in a handler or inside {@code record}, or if the client has no injection counter
     *     and no such call is in progress; the message gives the remedy
     */
    public long put(Target target, long targetOffset, Window source, long sourceOffset, long length, Completions ends) {
        Objects.requireNonNull(target, "target");
        Objects.requireNonNull(source, "source");
        final InjectionCounter counter = beginOneSided(ends);
        if (counter == null) {
            return Status.BACK_PRESSURED;
        }
        long position = Status.BACK_PRESSURED;
        try {
            position = context.put(target, targetOffset, source, sourceOffset, length, counter);
        } finally {
            endOneSided(counter, length, position, target.rank(), ends);
        }
        return position;
    }

    /** Copies as {@link Context#get}, with completions and results as {@link #put}. */
    public long get(Target source, long sourceOffset, Window into, long offset, long length, Completions ends) {
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(into, "into");
        final InjectionCounter counter = beginOneSided(ends);
        if (counter == null) {
            return Status.BACK_PRESSURED;
        }
        long position = Status.BACK_PRESSURED;
        try {
            position = context.get(source, sourceOffset, into, offset, length, counter);
        } finally {
            endOneSided(counter, length, position, source.rank(), ends);
        }
        return position;
    }

    /**
     * Changes a word as {@link Context#rmw}, with completions and results as {@link #put}.
     *
     * @throws IllegalArgumentException as {@link Context#rmw} does, or if {@code change} has a counter
     */
    public long rmw(Target target, long targetOffset, Rmw change, Completions ends) {
        Objects.requireNonNull(target, "target");
        requireNoCounter(OperationAccess.injectionCounter(change));
        final InjectionCounter counter = beginOneSided(ends);
        if (counter == null) {
            return Status.BACK_PRESSURED;
        }
        long position = Status.BACK_PRESSURED;
        OperationAccess.completes(change, counter);
        try {
            position = context.rmw(target, targetOffset, change);
        } finally {
            OperationAccess.completes(change, null);
            endOneSided(counter, Rmw.LENGTH, position, target.rank(), ends);
        }
        return position;
    }

    /**
     * Sends as {@link Context#multicast}, with completions and results as {@link #put}. A failure at one of the targets
     * is the failure of the call; the other targets receive their messages.
     *
     * @throws IllegalArgumentException as {@link Context#multicast} does, or if {@code message} has a counter
     */
    public long multicast(Message message, long[] endpoints, int first, int count, Completions ends) {
        requireNoCounter(OperationAccess.injectionCounter(message));
        final InjectionCounter counter = beginOneSided(ends);
        if (counter == null) {
            return Status.BACK_PRESSURED;
        }
        long position = Status.BACK_PRESSURED;
        OperationAccess.completes(message, counter);
        try {
            position = context.multicast(message, endpoints, first, count);
        } finally {
            OperationAccess.completes(message, null);
            final int rank = position < 0 ? 0 : Endpoint.task(endpoints[first]);
            endOneSided(counter, message.length() * count, position, rank, ends);
        }
        return position;
    }

    private static void requireNoCounter(@Nullable InjectionCounter counter) {
        if (counter != null) {
            throw new IllegalArgumentException("a call with completions has a counter of its own: remove " + counter
                    + ", or call the context's method and await the counter");
        }
    }

    /** Returns the counter of a one-sided call, or null while there is no room. */
    private @Nullable InjectionCounter beginOneSided(Completions ends) {
        Objects.requireNonNull(ends, "ends");
        if (ContextAccess.isInHandler(context)) {
            throw new IllegalStateException("a handler can only send replies through a messenger: store the request"
                    + " and call it after advance has returned");
        }
        if (context.isRecording()) {
            throw notReplayable();
        }
        return works() ? oneSided.take() : null;
    }

    private void endOneSided(InjectionCounter counter, long bytes, long position, int rank, Completions ends) {
        if (position < 0) {
            oneSided.giveBack(counter);
        } else {
            oneSided.add(counter, bytes, position, rank, ends);
        }
    }

    /**
     * Lets a deferred message land in {@code window} at {@code offset}, as {@link ReceivedMessage#into} does in its
     * handler. The fetch starts within an {@code advance}, and {@code landed} runs in a later one, with null or the
     * failure. If the sender has died or left, its deferred messages have ended; {@code landed} then receives that
     * failure. May be called in handlers and in completions.
     *
     * @param token result of {@link ReceivedMessage#defer}, above zero; valid until it is accepted or declined
     * @return zero, or {@link Status#BACK_PRESSURED} while there is no room for the completion: advance then
     * @throws IllegalArgumentException if no message is deferred under the token, the message does not fit there, or
     *     the window belongs to another node; in the last two cases the message remains deferred
     * @throws IllegalStateException if the window is closed; the message remains deferred
     * @throws ClosedException once the node is closed
     */
    public long accept(long token, Window window, long offset, Completion landed) {
        Objects.requireNonNull(window, "window");
        Objects.requireNonNull(landed, "landed");
        ContextAccess.requireOpen(context);
        if (!pending.hasRoom() || !works()) {
            return Status.BACK_PRESSURED;
        }
        final SegnoException failure = deferred.failure(token);
        if (failure == null) {
            deferred.accept(token, window, offset, landed);
        } else {
            pending.add(landed, failure);
        }
        return 0;
    }

    /**
     * Declines a deferred message. Its sender is notified of a failure, as if the handler had declined it. Has no
     * effect if the sender has died or left. May be called in handlers and in completions.
     *
     * @throws IllegalArgumentException if no message is deferred under the token
     * @throws ClosedException once the node is closed
     */
    public void decline(long token) {
        ContextAccess.requireOpen(context);
        if (deferred.failure(token) == null) {
            deferred.decline(token);
        }
    }

    /**
     * Revokes the right to read {@code window}, so that it can be closed. All rendezvous messages from the window must
     * have ended.
     */
    public void release(Window window) {
        Objects.requireNonNull(window, "window");
        readable.release(window);
    }

    /** Ensures that {@link #poll} runs within the next advance; returns false if the context's work queue is full. */
    private boolean works() {
        if (!working) {
            working = context.post(work) >= 0;
        }
        return working;
    }

    private long poll() {
        throwKept();
        final int done;
        try {
            done = thrown == null ? pollAll() : 0;
        } catch (final Throwable e) {
            // Work that throws is not run again, but the rest of the work is still pending.
            working = false;
            if (works()) {
                throw e;
            }
            // The queue is full. Work that returns AGAIN has a place without it.
            working = true;
            thrown = e;
            return Status.AGAIN;
        }
        // A poll without progress must not count as work; otherwise the advancing thread would never idle while a
        // message is in progress.
        if (working && (done == 0 || !reposts())) {
            return Status.AGAIN;
        }
        return done == 0 ? Status.BUSY : 0;
    }

    /** Throws what a completion has thrown while the queue was full, once it has room for the rest of the work. */
    private void throwKept() {
        final Throwable kept = thrown;
        if (kept != null && context.post(work) >= 0) {
            thrown = null;
            LangUtil.rethrowUnchecked(kept);
        }
    }

    private boolean reposts() {
        try {
            return context.post(work) >= 0;
        } catch (final ClosedException e) {
            // The context was closed, and a wait makes its last check; the wait reports its own condition.
            return false;
        }
    }

    private int pollAll() {
        int done = 0;
        final long sent = requests.sent();
        if (!pending.isEmpty()) {
            done += pending.poll();
        }
        if (!requests.isEmpty()) {
            done += requests.poll(sent);
        }
        if (!replies.isEmpty()) {
            done += replies.poll(replies.sent());
        }
        // A completion may have begun a recording, of which fetches are no part: they continue after its end.
        if (!deferred.isEmpty() && !context.isRecording()) {
            done += deferred.poll(receives);
        }
        if (!receives.isEmpty() && !context.isRecording()) {
            done += receives.poll();
        }
        if (!oneSided.isEmpty()) {
            done += oneSided.poll();
        }
        working = !oneSided.isEmpty()
                || !receives.isEmpty()
                || !deferred.isEmpty()
                || !requests.isEmpty()
                || !replies.isEmpty()
                || !pending.isEmpty();
        return done;
    }

    /** Describes what a close of the node abandons; empty if there is nothing. */
    private String unfinished() {
        return deferred.isEmpty() ? "" : deferred.count() + " deferred messages that have not landed at " + context;
    }

    private long onAnnouncement(
            long origin, DirectBuffer buffer, int metadata, int metadataLength, int payload, int payloadLength) {
        if (payloadLength != Announcement.LENGTH) {
            // No messenger sends such an announcement, so there is no sender to notify.
            return 0;
        }
        return receives.hasRoom() && works()
                ? receives.begin(origin, buffer, metadata, metadataLength, payload)
                : Status.AGAIN;
    }

    /** Handler of the short messages of one dispatch id, which passes them to the application's handler. */
    private final class ShortMessages implements ReplyingHandler {
        private final int dispatchId;
        private final MessageHandler handler;

        ShortMessages(int dispatchId, MessageHandler handler) {
            this.dispatchId = dispatchId;
            this.handler = handler;
        }

        @Override
        public long onMessage(
                long origin, DirectBuffer buffer, int metadata, int metadataLength, int payload, int payloadLength) {
            received.beginShort(origin, dispatchId, buffer, metadata, metadataLength, payloadLength);
            try {
                final long result = handler.onMessage(received);
                final Completion landed = received.place().completion;
                pending.endReservation();
                if (result >= 0 && landed != null) {
                    pending.add(landed, null);
                }
                return result;
            } finally {
                pending.endReservation();
                received.end();
            }
        }
    }
}
