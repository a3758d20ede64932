package org.segno.multisend;

import java.util.Arrays;
import org.segno.context.Context;
import org.segno.descriptor.Descriptor;
import org.segno.geometry.Endpoint;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Rounds;
import org.segno.status.PeerFailedException;
import org.segno.status.Status;

/**
 * One payload and its metadata to many endpoints, itself among them if it is named. Each receiver's handler gets a message of its own.
 *
 * <p>The first {@link #start} records what it sends, and each further one replays that by one entry in a ring, whatever the number of
 * targets; other arguments are recorded anew. What lies in windows, payload and metadata, is read when it is sent, every time: it
 * belongs to the engine until {@link #isComplete}. What a job before has recorded and this one has loaded, {@link
 * org.segno.saved.SavedPatterns}, is replayed from the first start on. One thread, the one that holds the context.
 *
 * <p>Order is kept from one start to the next, but not towards what is injected otherwise.
 */
public final class Multicast implements AutoCloseable {
    private final Context context;
    private final long[] endpoints;
    private final int dispatchId;
    private final Message message = new Message();
    private final Runnable all = this::injectAll;
    private final int descriptors;
    private final Repeated repeated;
    private final Partners partners;
    private Window payload;
    private long payloadOffset;
    private long payloadLength;
    private Window metadata;
    private long metadataOffset;
    private int metadataLength;
    private boolean replays = true;
    private boolean closed;
    private long round;
    private long end;

    /**
     * To the handlers of {@code dispatchId}, which tells this stream from others, at all {@code endpoints}.
     *
     * @param payload where the payload lies: none until {@link #payload} says more
     */
    public Multicast(Context context, int dispatchId, Window payload, long... endpoints) {
        if (endpoints.length == 0) {
            throw new IllegalArgumentException("a multicast has one target at least: endpoints=[]");
        }
        this.context = context;
        this.dispatchId = dispatchId;
        this.endpoints = endpoints.clone();
        this.descriptors = (endpoints.length + Descriptor.MAX_TARGETS - 1) / Descriptor.MAX_TARGETS;
        this.payload = payload;
        this.metadata = payload;
        // Whatever is wrong with a target is said here.
        for (final long endpoint : endpoints) {
            context.longestFor(message.to(endpoint, dispatchId));
        }
        this.partners = new Partners(
                context,
                Arrays.stream(endpoints).mapToInt(Endpoint::task).distinct().toArray());
        this.repeated = new Repeated(context, Rounds.ORDERED_BY_CALLER, all);
    }

    /** The payload, from now on. */
    public Multicast payload(Window window, long offset, long length) {
        window.requireRange("payload", offset, length);
        if (!window.equals(payload) || offset != payloadOffset || length != payloadLength) {
            repeated.forget();
            payload = window;
            payloadOffset = offset;
            payloadLength = length;
        }
        return this;
    }

    /** The metadata, up to 24 bytes of a window, from now on: what stands there may be other at every start. */
    public Multicast metadata(Window window, long offset, int length) {
        message.metadata(window, offset, length);
        if (!window.equals(metadata) || offset != metadataOffset || length != metadataLength) {
            repeated.forget();
            metadata = window;
            metadataOffset = offset;
            metadataLength = length;
        }
        return this;
    }

    /** False has every start inject its messages, with one store of the tail; true, as it is at first, replay what was recorded. */
    public Multicast replaying(boolean wanted) {
        replays = wanted;
        return this;
    }

    /**
     * Sends to all. Never blocks.
     *
     * @return the number of this start, from 1; {@link Status#BUSY} while the last one is not complete, {@link Status#BACK_PRESSURED}
     *     while there is no room: advance then
     * @throws IllegalArgumentException if the message is too long for a target, there is no such endpoint, or, where it is not to be
     *     replayed, the FIFO has fewer slots than it takes
     * @throws IllegalStateException if it cannot be recorded, or in a handler, a replying one too: says why
     * @throws PeerFailedException if the rank of a target has died, once that is known
     */
    public long start() {
        if (closed) {
            throw new IllegalStateException(this + " is closed: make another");
        }
        if (context.isInHandler()) {
            throw new IllegalStateException(
                    "a handler cannot start " + this + ": start it after advance has returned, or in posted work");
        }
        partners.requireAlive(this);
        if (!isComplete()) {
            return Status.BUSY;
        }
        final long answer = replays ? repeated.replay(round + 1) : context.together(descriptors, all);
        if (!Status.isProgress(answer)) {
            return answer;
        }
        if (!replays) {
            end = answer;
        }
        return ++round;
    }

    private void injectAll() {
        message.payload(payload, payloadOffset, payloadLength);
        message.metadata(metadata, metadataOffset, metadataLength);
        for (int first = 0; first < endpoints.length; first += Descriptor.MAX_TARGETS) {
            context.multicast(message, endpoints, first, Math.min(Descriptor.MAX_TARGETS, endpoints.length - first));
        }
    }

    /** True when everything that was started is sent: payload and metadata may be overwritten. */
    public boolean isComplete() {
        return repeated.isComplete() && context.fifo().headAcquire() >= end;
    }

    /**
     * Waits until {@link #isComplete}; throws as the waits of a context do.
     *
     * @throws org.segno.status.RefusedException if a message that was replayed was refused by its target
     * @throws PeerFailedException if a target has died
     */
    public void await(long deadlineNs) {
        if (repeated.hasReplayed(round)) {
            repeated.await(round, deadlineNs);
        } else {
            context.await(this::isComplete, deadlineNs);
            requireAlive();
        }
    }

    /** What was injected for a rank that has died was refused, perhaps, and no pattern is there to tell. */
    private void requireAlive() {
        for (int i = 0; i < endpoints.length && context.peerChanges() != 0; i++) {
            if (context.failure(Endpoint.task(endpoints[i])) instanceof PeerFailedException dead) {
                throw new PeerFailedException(
                        dead.rank(), dead.getMessage() + "; what " + this + " has for it may not be sent");
            }
        }
    }

    /** Gives the recorded section back; takes no more starts. May be called twice. */
    @Override
    public void close() {
        closed = true;
        repeated.forget();
    }

    @Override
    public String toString() {
        return "multicast of dispatch id " + dispatchId + " to " + endpoints.length + " endpoints, the first of rank "
                + Endpoint.task(endpoints[0]);
    }
}
