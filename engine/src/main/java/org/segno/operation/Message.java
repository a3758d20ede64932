package org.segno.operation;

import java.util.Objects;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.DispatchIds;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.engine.memory.Peer;
import org.segno.geometry.Endpoint;
import org.segno.memory.CounterPair;
import org.segno.memory.InjectionCounter;
import org.segno.memory.LocalCounter;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Operand;
import org.segno.memory.Window;

/**
 * A message for {@code Context.send} or {@code Messenger.send}: metadata by value or from memory, and a payload from
 * memory. It is reusable. Each setting remains until it is changed. {@code send} keeps no reference to it after it
 * has returned.
 */
public final class Message {
    /** Limit of metadata and payload together, in bytes, that every lane satisfies. */
    private static final int FITS_ANY_LANE =
            LaneRecord.maxBodyLength(Math.min(NodeDimensions.REPLY_LANE_BYTES, NodeDimensions.MIN_LANE_BYTES));

    final UnsafeBuffer metadata = new UnsafeBuffer(new byte[Descriptor.MAX_INLINE_METADATA_LENGTH]);
    int metadataLength;
    /** Rank of the target; below zero until it is set. */
    int rank = -1;

    int context;
    int dispatchId;
    boolean toEndpoint;

    @Nullable
    Operand metadataOperand;

    long metadataOffset;

    @Nullable
    Operand payload;

    long offset;
    long length;

    @Nullable
    InjectionCounter injectionCounter;

    private Hint hint = Hint.NONE;

    /** Sets the target to the handler of {@code dispatchId} at the first context of the same client at {@code rank}. */
    public Message to(int rank, int dispatchId) {
        return to(rank, 0, dispatchId);
    }

    /** Sets the target to the handler of {@code dispatchId} at the context of an {@link Endpoint}. */
    public Message to(long endpoint, int dispatchId) {
        to(Endpoint.task(endpoint), Endpoint.contextId(endpoint), dispatchId);
        toEndpoint = true;
        return this;
    }

    /**
     * Sets the target to the handler of {@code dispatchId}, 0 to 65,534, at a context of the same client at
     * {@code rank}.
     */
    public Message to(int rank, int context, int dispatchId) {
        DispatchIds.require(dispatchId);
        this.rank = rank;
        this.context = context;
        this.dispatchId = dispatchId;
        this.toEndpoint = false;
        return this;
    }

    /** Sets metadata of up to 24 bytes, by value. They are copied now. */
    public Message metadata(DirectBuffer buffer, int offset, int length) {
        Objects.requireNonNull(buffer, "buffer");
        requireMetadataLength(length, Descriptor.MAX_INLINE_METADATA_LENGTH, " by value, more from a window");
        buffer.getBytes(offset, metadata, 0, length);
        metadataLength = length;
        metadataOperand = null;
        return this;
    }

    /**
     * Sets metadata of up to 128 bytes in a window or a counter's range. The engine reads them when it carries the
     * message out. For a recorded message it reads them in every round, so each replay may send other bytes. They
     * belong to the engine until then, as the payload does.
     *
     * @throws IllegalArgumentException if the range lies outside the operand, or is too long
     */
    public Message metadata(Operand operand, long offset, int length) {
        Objects.requireNonNull(operand, "operand");
        requireMetadataLength(length, Descriptor.MAX_METADATA_LENGTH, "");
        MemoryAccess.requireOperandRange(operand, "metadata", offset, length);
        metadataOperand = operand;
        metadataOffset = offset;
        metadataLength = length;
        return this;
    }

    private static void requireMetadataLength(int length, int most, String detail) {
        if (length < 0 || length > most) {
            throw new IllegalArgumentException(
                    "metadata must have 0 to " + most + " bytes" + detail + ": length=" + length);
        }
    }

    /**
     * Sets the payload, zero bytes allowed, in a window or a counter's range. The engine reads it when it carries the
     * message out.
     *
     * @throws IllegalArgumentException if the range lies outside the operand
     */
    public Message payload(Operand operand, long offset, long length) {
        Objects.requireNonNull(operand, "operand");
        MemoryAccess.requireOperandRange(operand, "payload", offset, length);
        this.payload = operand;
        this.offset = offset;
        this.length = length;
        return this;
    }

    /**
     * Sets a counter that is counted down by the payload's bytes once they have been read, and that reports a refusal.
     */
    public Message completes(InjectionCounter counter) {
        this.injectionCounter = Objects.requireNonNull(counter, "counter");
        return this;
    }

    /** Sets the transport, overriding the limits. Used by {@code Messenger.send} only. */
    public Message hint(Hint wish) {
        hint = Objects.requireNonNull(wish, "wish");
        return this;
    }

    /** Returns the transport. */
    Hint hint() {
        return hint;
    }

    /** Returns the counter that is counted down by the bytes read, or null. */
    @Nullable
    InjectionCounter injectionCounter() {
        return injectionCounter;
    }

    /** Returns the rank of the target. */
    int rank() {
        return rank;
    }

    /** Returns the length of the payload in bytes. */
    public long length() {
        return length;
    }

    /** Returns the offset of the payload in its operand. */
    long offset() {
        return offset;
    }

    /** Returns true if the payload or the metadata alternate with the round. */
    boolean isAlternating() {
        return payload instanceof CounterPair || metadataOperand instanceof CounterPair;
    }

    /** Returns the dispatch id of the target's handler. */
    int dispatchId() {
        return dispatchId;
    }

    /** Returns the length of the metadata in bytes. */
    int metadataLength() {
        return metadataLength;
    }

    /** Copies the target and the metadata of another message, and nothing else, and sets another dispatch id. */
    Message like(Message other, int dispatchId) {
        // Not by to: the id may be the reserved one.
        rank = other.rank;
        context = other.context;
        this.dispatchId = dispatchId;
        other.metadata.getBytes(0, metadata, 0, Descriptor.MAX_INLINE_METADATA_LENGTH);
        metadataLength = other.metadataLength;
        metadataOperand = other.metadataOperand;
        metadataOffset = other.metadataOffset;
        toEndpoint = other.toEndpoint;
        return this;
    }

    /** Returns the target context: its id if the target is an endpoint, otherwise its number within the client. */
    int context() {
        return context;
    }

    /** Returns true if the target is an {@link Endpoint}. */
    boolean isToEndpoint() {
        return toEndpoint;
    }

    /** Checks that the message has a payload, and that its operands and its counter belong to a node. */
    void requireOf(NodeMemory node) {
        if (payload == null) {
            throw new IllegalArgumentException("the message has no payload: call payload, with a length of 0 for none");
        }
        requireOf(payload, node);
        if (metadataOperand != null) {
            requireOf(metadataOperand, node);
        }
        if (injectionCounter != null) {
            injectionCounter.requireOf(node);
        }
    }

    /** Returns true if an immediate send can copy the message: its metadata are short, and it lies in windows. */
    boolean isFromWindows() {
        return payload instanceof Window
                && (metadataOperand == null || metadataOperand instanceof Window)
                && metadataLength <= Descriptor.MAX_INLINE_METADATA_LENGTH;
    }

    private static void requireOf(Operand operand, NodeMemory node) {
        if (operand instanceof Window window) {
            MemoryAccess.requireOf(window, node);
        } else {
            ((LocalCounter) operand).requireOf(node);
        }
    }

    /** Checks that the metadata lie in an operand, because a multicast descriptor has no room for them. */
    void requireMetadataWindow() {
        if (metadataOperand == null) {
            throw new IllegalArgumentException("a multicast reads its metadata from memory:"
                    + " call metadata(window, offset, length), of length 0 for none");
        }
    }

    /** Checks that the message fits in a descriptor, which has no room for a counter. */
    void requireImmediate(NodeMemory node) {
        requireOf(node);
        if (!isFromWindows()) {
            throw new IllegalArgumentException(
                    "an immediate message copies its bytes at the call, from windows, and has at most "
                            + Descriptor.MAX_INLINE_METADATA_LENGTH + " bytes of metadata, call send: payload="
                            + payload + " metadata=" + (metadataOperand == null ? "by value" : metadataOperand)
                            + " of " + metadataLength);
        }
        if (length > Descriptor.MAX_IMMEDIATE_LENGTH - metadataLength) {
            throw new IllegalArgumentException("metadata and payload of an immediate message must have at most "
                    + Descriptor.MAX_IMMEDIATE_LENGTH + " bytes, call send: metadata=" + metadataLength + " payload="
                    + length);
        }
        if (injectionCounter != null) {
            throw new IllegalArgumentException(
                    "an immediate message copies its payload at the call and cannot have a counter, call send: "
                            + injectionCounter);
        }
    }

    /**
     * Returns the limit of the payload, in bytes, that a record of the target's lanes, or of its reply lanes, holds in
     * addition to the metadata.
     */
    long longest(Peer target, boolean isReply) {
        return LaneRecord.maxBodyLength(laneBytes(target, isReply)) - (long) metadataLength;
    }

    private static int laneBytes(Peer target, boolean isReply) {
        return isReply ? NodeDimensions.REPLY_LANE_BYTES : target.dimensions().laneBytes();
    }

    /** Checks that the message fits in a record of the target's lanes; for a reply, of its reply lanes. */
    void requireFits(Peer target, boolean isReply) {
        if (length <= FITS_ANY_LANE - metadataLength) {
            return;
        }
        final int laneBytes = laneBytes(target, isReply);
        final int most = LaneRecord.maxBodyLength(laneBytes);
        if (length > most - metadataLength) {
            throw new IllegalArgumentException("metadata and payload must fit a quarter of the target's lane of "
                    + laneBytes + " bytes: metadata=" + metadataLength + " payload=" + length + " most=" + most
                    + "; put long payloads to a counter, or send them in parts" + largerLane());
        }
    }

    /** Returns the remedy. A larger budget helps only up to the maximum length of a lane. */
    private String largerLane() {
        return length > LaneRecord.maxBodyLength(NodeDimensions.MAX_LANE_BYTES) - metadataLength
                ? ": no lane is longer than " + NodeDimensions.MAX_LANE_BYTES + " bytes"
                : ", or raise NodeConfig.withLaneBudgetBytes at the target";
    }
}
