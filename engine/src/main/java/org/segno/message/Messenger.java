package org.segno.message;

import org.agrona.DirectBuffer;
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
import org.segno.operation.MessageLimits;
import org.segno.operation.OperationAccess;
import org.segno.operation.Rmw;
import org.segno.operation.Work;
import org.segno.status.ClosedException;
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
 * applies. The announced messages themselves land in any order.
 *
 * <p>All resources are bounded. At most {@value RendezvousSends#SLOTS} rendezvous messages may be in progress from
 * here, and {@value RendezvousReceives#SLOTS} to here. Other messages are limited by the target's lane and the
 * injection FIFO. A sender without room gets {@link Status#BACK_PRESSURED}, or its messages wait in their lane. Used by
 * the one thread that holds the context; its work is done within {@code advance}.
 */
public final class Messenger {
    private final Context context;
    private final MessageLimits limits;
    private final LocalCompletions taken = new LocalCompletions();
    private final EagerSends eager;
    private final RendezvousSends sends;
    private final RendezvousReceives receives;
    private final OneSidedCalls oneSided;
    private final Work work = this::poll;
    private boolean working;

    private Messenger(Client client, Context context) {
        this.context = context;
        this.limits = ContextAccess.limits(client);
        this.eager = new EagerSends(context);
        final MessengerResources own = MessengerResources.take(client, context);
        this.sends = new RendezvousSends(client, context, own);
        this.receives = new RendezvousReceives(client, context, own);
        this.oneSided = new OneSidedCalls(client, context);
        // Registered last: from here on the context has a messenger.
        ContextAccess.announcements(context, this::onAnnouncement);
    }

    /**
     * Opens the messenger of a context; each context has at most one. It allocates an injection FIFO,
     * {@value RendezvousReceives#SLOTS} injection counters, one reception counter and about 4 KiB of window memory. It
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
        return new Messenger(client, context);
    }

    /**
     * Registers the handler of a dispatch id, 0 to 65,534, replacing an earlier one for the same id. Register it before
     * peers send to it.
     */
    public void handler(int dispatchId, MessageHandler handler) {
        context.handler(dispatchId, handler);
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
     * @return zero or more, or {@link Status#BACK_PRESSURED} while there is no room: advance then
     * @throws IllegalArgumentException as {@link Context#send} does, for the payload's length only with
     *     {@link Hint#NO_RENDEZVOUS}
     * @throws IllegalStateException in a handler, or inside {@code record} if the message cannot be replayed, or if no
     *     reception counter is left for its window; the message gives the remedy
     */
    public long send(Message message, @Nullable Completion local, @Nullable Completion remote) {
        if (ContextAccess.isInHandler(context)) {
            throw new IllegalStateException("a handler cannot send through a messenger: reply with Context.send in a"
                    + " replying handler, or store the request and send it after advance has returned");
        }
        final Window payload = OperationAccess.window(message);
        if (payload == null || !goesByRendezvous(message)) {
            return isImmediate(message) ? sendImmediately(message, local, remote) : sendEagerly(message, local, remote);
        }
        requireNotRecording();
        return works() ? sends.announce(message, payload, local, remote) : Status.BACK_PRESSURED;
    }

    private boolean goesByRendezvous(Message message) {
        final long length = message.length();
        if (length == 0 || OperationAccess.hint(message) == Hint.NO_COPY) {
            return length != 0;
        }
        final long longest = context.longestFor(message);
        if (OperationAccess.hint(message) == Hint.NO_RENDEZVOUS) {
            if (length > longest) {
                throw new IllegalArgumentException(
                        "without rendezvous the target's lane holds " + longest + " bytes in addition to the metadata:"
                                + " payload=" + length + "; omit Hint.NO_RENDEZVOUS, send the message in parts,"
                                + " or raise NodeConfig.withLaneBudgetBytes at the target");
            }
            return false;
        }
        return length > longest
                || (length > limits.eagerBytes() - OperationAccess.metadataLength(message) && !isImmediate(message));
    }

    private boolean isImmediate(Message message) {
        return message.length() <= limits.immediateBytes() - OperationAccess.metadataLength(message)
                && OperationAccess.isFromWindows(message)
                && OperationAccess.injectionCounter(message) == null
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
            eager.add(position, OperationAccess.rank(message), null, remote);
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
            eager.add(position, OperationAccess.rank(message), local, remote);
        }
        return position;
    }

    private void requireNotRecording() {
        if (context.isRecording()) {
            throw new IllegalStateException("a message with a completion, or one by rendezvous, cannot be replayed:"
                    + " inside record use Context.send or put");
        }
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
        final InjectionCounter counter = beginOneSided();
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
        final InjectionCounter counter = beginOneSided();
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
        requireNoCounter(OperationAccess.injectionCounter(change));
        final InjectionCounter counter = beginOneSided();
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
        final InjectionCounter counter = beginOneSided();
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
    private @Nullable InjectionCounter beginOneSided() {
        if (ContextAccess.isInHandler(context)) {
            throw new IllegalStateException(
                    "a handler cannot call a messenger: store the request and call it after" + " advance has returned");
        }
        requireNotRecording();
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
     * Revokes the right to read {@code window}, so that it can be closed. All rendezvous messages from the window must
     * have ended.
     */
    public void release(Window window) {
        sends.release(window);
    }

    /** Ensures that {@link #poll} runs within the next advance; returns false if the context's work queue is full. */
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
                // Work that throws is not run again, but the rest of the work is still pending.
                working = false;
                works();
            }
        }
        // A poll without progress must not count as work; otherwise the advancing thread would never idle while a
        // message is in progress.
        if (working && (done == 0 || !reposts())) {
            return Status.AGAIN;
        }
        return done == 0 ? Status.BUSY : 0;
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
        if (!taken.isEmpty()) {
            done += taken.poll();
        }
        if (!eager.isEmpty()) {
            done += eager.poll();
        }
        if (!sends.isEmpty()) {
            done += sends.poll();
        }
        if (!receives.isEmpty()) {
            done += receives.poll();
        }
        if (!oneSided.isEmpty()) {
            done += oneSided.poll();
        }
        working =
                !oneSided.isEmpty() || !receives.isEmpty() || !sends.isEmpty() || !eager.isEmpty() || !taken.isEmpty();
        return done;
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
}
