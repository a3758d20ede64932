package org.segno.operation;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.counter.InjectionCounter;
import org.segno.descriptor.Descriptor;
import org.segno.dispatch.DispatchTable;
import org.segno.fifo.LaneRecord;
import org.segno.geometry.Endpoint;
import org.segno.memory.NodeDimensions;
import org.segno.memory.NodeMemory;
import org.segno.memory.Window;

/**
 * A message to be sent by {@code Context.send} or {@code Messenger.send}: metadata by value or from a window, and a payload from a window.
 * Made once and used again for other messages: all that is said of it stands until something else is said. Nothing of it is referred to
 * after {@code send} has answered.
 */
public final class Message {
    /** Metadata and payload together that any lane holds. */
    private static final int FITS_ANY_LANE =
            LaneRecord.maxBodyLength(Math.min(NodeDimensions.REPLY_LANE_BYTES, NodeDimensions.MIN_LANE_BYTES));

    final UnsafeBuffer metadata = new UnsafeBuffer(new byte[Descriptor.MAX_METADATA_LENGTH]);
    int metadataLength;
    int rank;
    int context;
    int dispatchId;
    boolean toEndpoint;

    @Nullable
    Window metadataWindow;

    long metadataOffset;

    @Nullable
    Window window;

    long offset;
    long length;

    @Nullable
    InjectionCounter injectionCounter;

    private Hint hint = Hint.NONE;

    /** To the first context of the same client at {@code rank}, for the handler of {@code dispatchId}. */
    public Message to(int rank, int dispatchId) {
        return to(rank, 0, dispatchId);
    }

    /** To the context that an {@link Endpoint} names, for the handler of {@code dispatchId}. */
    public Message to(long endpoint, int dispatchId) {
        to(Endpoint.task(endpoint), Endpoint.context(endpoint), dispatchId);
        toEndpoint = true;
        return this;
    }

    /** To a context of the same client at {@code rank}, for the handler of {@code dispatchId}. */
    public Message to(int rank, int context, int dispatchId) {
        DispatchTable.requireId(dispatchId);
        this.rank = rank;
        this.context = context;
        this.dispatchId = dispatchId;
        this.toEndpoint = false;
        return this;
    }

    /** Up to 24 bytes that travel by value: taken now. */
    public Message metadata(DirectBuffer buffer, int offset, int length) {
        requireMetadataLength(length);
        buffer.getBytes(offset, metadata, 0, length);
        metadataLength = length;
        metadataWindow = null;
        return this;
    }

    /**
     * Up to 24 bytes that the engine reads from a window when it carries the message out: of a recorded message anew in every round, so
     * that a replay says something else each time. They belong to the engine until then, as the payload does.
     *
     * @throws IllegalArgumentException if the range lies outside the window, or there are too many
     */
    public Message metadata(Window window, long offset, int length) {
        requireMetadataLength(length);
        window.requireRange("metadata", offset, length);
        metadataWindow = window;
        metadataOffset = offset;
        metadataLength = length;
        return this;
    }

    private static void requireMetadataLength(int length) {
        if (length < 0 || length > Descriptor.MAX_METADATA_LENGTH) {
            throw new IllegalArgumentException(
                    "metadata must have 0 to " + Descriptor.MAX_METADATA_LENGTH + " bytes: length=" + length);
        }
    }

    /**
     * The payload, zero bytes allowed: the engine reads it from the window when it carries the message out.
     *
     * @throws IllegalArgumentException if the range lies outside the window
     */
    public Message payload(Window window, long offset, long length) {
        window.requireRange("payload", offset, length);
        this.window = window;
        this.offset = offset;
        this.length = length;
        return this;
    }

    /** Has a counter count the payload's bytes down once they have been read, and hear of a refusal. */
    public Message completes(InjectionCounter counter) {
        this.injectionCounter = counter;
        return this;
    }

    /** For {@code Messenger.send} alone: how it is to travel, whatever the limits say. */
    public Message hint(Hint wish) {
        hint = wish;
        return this;
    }

    /** How it is to travel. */
    public Hint hint() {
        return hint;
    }

    /** What counts its bytes down, or null. */
    public @Nullable InjectionCounter injectionCounter() {
        return injectionCounter;
    }

    /** Of the target. */
    public int rank() {
        return rank;
    }

    /** Bytes of the payload. */
    public long length() {
        return length;
    }

    /** Offset of the payload in its window. */
    public long offset() {
        return offset;
    }

    /** Where the payload lies, or null while none was named. */
    public @Nullable Window window() {
        return window;
    }

    /** For the handler of which dispatch id. */
    public int dispatchId() {
        return dispatchId;
    }

    /** Bytes of metadata. */
    public int metadataLength() {
        return metadataLength;
    }

    /** Takes over the target and the metadata of another message, and nothing else, for the handler of another dispatch id. */
    public Message like(Message other, int dispatchId) {
        to(other.rank, other.context, dispatchId);
        other.metadata.getBytes(0, metadata, 0, Descriptor.MAX_METADATA_LENGTH);
        metadataLength = other.metadataLength;
        metadataWindow = other.metadataWindow;
        metadataOffset = other.metadataOffset;
        toEndpoint = other.toEndpoint;
        return this;
    }

    /** Number of the target context: among all of its node for an endpoint, else among those of the client. */
    public int context() {
        return context;
    }

    /** True if it goes to an {@link Endpoint}. */
    public boolean isToEndpoint() {
        return toEndpoint;
    }

    /** Checks that it has a payload, and that what it names was made by a node. */
    public void requireOf(NodeMemory node) {
        if (window == null) {
            throw new IllegalArgumentException("the message has no payload window: call payload, or sendImmediate");
        }
        window.requireOf(node);
        if (metadataWindow != null) {
            metadataWindow.requireOf(node);
        }
        if (injectionCounter != null) {
            injectionCounter.requireOf(node);
        }
    }

    /** Checks that its metadata are to be read from a window: a multicast's descriptor has no room for them. */
    public void requireMetadataWindow() {
        if (metadataWindow == null) {
            throw new IllegalArgumentException("a multicast reads its metadata from a window:"
                    + " call metadata(window, offset, length), of length 0 for none");
        }
    }

    /** Checks that it can stand in a descriptor, which has no room for a counter. */
    public void requireImmediate(NodeMemory node) {
        requireOf(node);
        if (length > Descriptor.MAX_IMMEDIATE_LENGTH - metadataLength) {
            throw new IllegalArgumentException("metadata and payload of an immediate message have at most "
                    + Descriptor.MAX_IMMEDIATE_LENGTH + " bytes, call send: metadata=" + metadataLength + " payload="
                    + length);
        }
        if (injectionCounter != null) {
            throw new IllegalArgumentException(
                    "an immediate message has its payload taken at the call and counts nothing, call send: "
                            + injectionCounter);
        }
    }

    /** The most bytes of payload that a record of the target's lanes holds beside the metadata. */
    public long longest(NodeMemory target) {
        return LaneRecord.maxBodyLength(target.layout().dimensions().laneBytes()) - (long) metadataLength;
    }

    /** Checks that a record of the target's lanes, or of those for what handlers send, holds this message. */
    public void requireFits(NodeMemory target, boolean isReply) {
        if (length <= FITS_ANY_LANE - metadataLength) {
            return;
        }
        final int laneBytes = isReply
                ? NodeDimensions.REPLY_LANE_BYTES
                : target.layout().dimensions().laneBytes();
        final int most = LaneRecord.maxBodyLength(laneBytes);
        if (length > most - metadataLength) {
            throw new IllegalArgumentException("metadata and payload must fit a quarter of the target's lane of "
                    + laneBytes + " bytes: metadata=" + metadataLength + " payload=" + length + " most=" + most
                    + "; put long payloads to a counter, or send them in parts" + largerLane());
        }
    }

    /** Where that helps: above the largest lane that there is a larger budget changes nothing. */
    private String largerLane() {
        return length > LaneRecord.maxBodyLength(NodeDimensions.MAX_LANE_BYTES) - metadataLength
                ? ": no lane is longer than " + NodeDimensions.MAX_LANE_BYTES + " bytes"
                : ", or raise laneBudgetBytes at the target";
    }
}
