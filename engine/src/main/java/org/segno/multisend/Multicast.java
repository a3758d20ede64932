package org.segno.multisend;

import java.util.Arrays;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.segno.context.Context;
import org.segno.context.ContextAccess;
import org.segno.engine.descriptor.Descriptor;
import org.segno.geometry.Endpoint;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Window;
import org.segno.operation.Message;
import org.segno.pattern.Rounds;
import org.segno.status.PeerFailedException;
import org.segno.status.SegnoException;
import org.segno.status.Status;

/**
 * One payload and its metadata to many endpoints, which may include this one. Each receiver's handler receives its own
 * message.
 *
 * <p>The first {@link #start} records its operations, and each further one replays them by one entry in a ring,
 * whatever the number of targets. Changed arguments cause a new recording. The payload and the metadata lie in windows
 * and are read at every start. They belong to the engine until {@link #isComplete}. A recording that was saved by an
 * earlier job and loaded in this one, {@link org.segno.saved.SavedPatterns}, is replayed from the first start on. Used
 * by the one thread that holds the context.
 *
 * <p>Order is kept from one start to the next, but not relative to descriptors injected by other means.
 */
public final class Multicast implements AutoCloseable {
    private final Context context;
    private final long[] endpoints;
    private final int dispatchId;
    private final Message message = new Message();
    private final RecordedMultisend repeated;
    private final PeerSet peers;
    private final RoundCompletion completion;
    private Window payload;
    private long payloadOffset;
    private long payloadLength;
    private Window metadata;
    private long metadataOffset;
    private int metadataLength;
    private boolean closed;
    private long round;

    /**
     * Creates a stream to the handlers of {@code dispatchId} at all {@code endpoints}. The id distinguishes it from
     * other streams.
     *
     * @param payload window of the payload; its length is 0 until {@link #payload} is called
     * @param endpoints targets; none for a rank without receivers, whose starts send nothing
     */
    public Multicast(Context context, int dispatchId, Window payload, long... endpoints) {
        this.context = Objects.requireNonNull(context, "context");
        this.dispatchId = dispatchId;
        this.endpoints = endpoints.clone();
        this.payload = Objects.requireNonNull(payload, "payload");
        this.metadata = payload;
        // Checks every target.
        for (final long endpoint : endpoints) {
            context.longestFor(message.to(endpoint, dispatchId));
        }
        this.peers = new PeerSet(
                context,
                Arrays.stream(endpoints).mapToInt(Endpoint::task).distinct().toArray());
        this.repeated = new RecordedMultisend(context, Rounds.ORDERED_BY_CALLER, this::injectAll);
        this.completion = new RoundCompletion(context, repeated, peers, this);
    }

    /** Sets the payload of all later starts. */
    public Multicast payload(Window window, long offset, long length) {
        Objects.requireNonNull(window, "window");
        MemoryAccess.requireRange(window, "payload", offset, length);
        if (!window.equals(payload) || offset != payloadOffset || length != payloadLength) {
            repeated.forget();
            payload = window;
            payloadOffset = offset;
            payloadLength = length;
        }
        return this;
    }

    /**
     * Sets the metadata of all later starts: up to 128 bytes of a window. Their content may change from start to
     * start.
     */
    public Multicast metadata(Window window, long offset, int length) {
        Objects.requireNonNull(window, "window");
        message.metadata(window, offset, length);
        if (!window.equals(metadata) || offset != metadataOffset || length != metadataLength) {
            repeated.forget();
            metadata = window;
            metadataOffset = offset;
            metadataLength = length;
        }
        return this;
    }

    /**
     * Sends to all endpoints. Never blocks.
     *
     * @return the number of this start, from 1; {@link Status#BUSY} while the last one is not complete, or its
     *     call-back has not run; {@link Status#BACK_PRESSURED} while there is no room: advance then
     * @throws IllegalArgumentException if the message is too long for a target, or an endpoint does not exist
     * @throws IllegalStateException if it cannot be recorded, or in a handler, a replying one included; the message
     *     gives the reason
     * @throws PeerFailedException if the rank of a target is known to have died
     */
    public long start() {
        if (closed) {
            throw new IllegalStateException(this + " is closed: create another one");
        }
        if (ContextAccess.isInHandler(context)) {
            throw new IllegalStateException(
                    "a handler cannot start " + this + ": start it after advance has returned, or in posted work");
        }
        peers.requireAlive(this);
        if (!isComplete() || completion.isDue()) {
            return Status.BUSY;
        }
        if (!completion.isReady()) {
            return Status.BACK_PRESSURED;
        }
        final long status = repeated.replay(round + 1);
        if (Status.isProgress(status)) {
            round = status;
            completion.started();
        }
        return status;
    }

    private void injectAll() {
        message.payload(payload, payloadOffset, payloadLength);
        message.metadata(metadata, metadataOffset, metadataLength);
        for (int first = 0; first < endpoints.length; first += Descriptor.MAX_TARGETS) {
            context.multicast(message, endpoints, first, Math.min(Descriptor.MAX_TARGETS, endpoints.length - first));
        }
    }

    /**
     * Sets a call-back that runs once for each later round, within the {@code advance} after the messages are sent. It
     * receives null, or the failure: a refusal or the death of a rank. It may start the next round, but not advance or
     * wait. Null removes it, also for a round in progress.
     */
    public void onComplete(@Nullable Consumer<@Nullable SegnoException> callback) {
        completion.set(callback);
    }

    /** Returns true when everything that was started is sent: payload and metadata may be overwritten. */
    public boolean isComplete() {
        return repeated.isComplete();
    }

    /**
     * Waits until {@link #isComplete}, and runs the call-back of the round if it has not run; throws as the waits of a
     * context do.
     *
     * @throws org.segno.status.RefusedException if a message was refused by its target
     * @throws PeerFailedException if a target has died
     */
    public void await(long deadlineNs) {
        repeated.await(round, deadlineNs);
        completion.report();
    }

    /** Frees the recorded section and ends starts. Idempotent. */
    @Override
    public void close() {
        closed = true;
        repeated.forget();
    }

    @Override
    public String toString() {
        return "multicast of dispatch id " + dispatchId + " to " + endpoints.length + " endpoints"
                + (endpoints.length == 0 ? "" : ", the first of rank " + Endpoint.task(endpoints[0]));
    }
}
