package org.segno.engine.fifo;

import org.agrona.concurrent.AtomicBuffer;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeDimensions;
import org.segno.engine.memory.NodeMemory;
import org.segno.geometry.Endpoint;

/**
 * The application's end of one reception lane. Used by one thread at a time.
 *
 * <p>It reads the header at its own head once, validates it, and passes the record to a handler in place. Peers can
 * write anything to a lane. A lane with an impossible header is quarantined: it is not read again, and nothing else is
 * affected.
 */
public final class ReceptionFifoConsumer {
    /** Value that no message's header has: its length exceeds every lane. */
    private static final long NO_MESSAGE = -1;

    private final Memory memory;
    private final Memory heads;
    private final AtomicBuffer buffer;
    private final long lane;
    private final long headOffset;
    private final int origin;
    private final int capacity;
    private final int mask;
    private final int returnLength;
    private long head;

    /** Header of the last record other than a pad, if it was a message. */
    private long lastMessage = NO_MESSAGE;

    private int lastContext = -1;
    private long lastEndpoint;

    private long returned;
    private boolean quarantined;

    private ReceptionFifoConsumer(NodeMemory node, int origin, long lane, long headOffset, int capacity) {
        this.memory = node.peers();
        this.heads = node.owner();
        this.lane = lane;
        this.headOffset = headOffset;
        this.origin = origin;
        this.capacity = capacity;
        this.mask = capacity - 1;
        this.returnLength = capacity / 4;
        this.buffer = memory.buffer(lane, capacity);
    }

    /** Returns the lane {@code lane} of {@code node} into {@code context}. */
    public static ReceptionFifoConsumer of(NodeMemory node, int context, int lane) {
        return new ReceptionFifoConsumer(
                node,
                lane / node.layout().dimensions().engines(),
                node.laneOffset(context, lane),
                node.laneHeadOffset(context, lane),
                node.layout().dimensions().laneBytes());
    }

    /** Returns the lane {@code lane} of {@code node} into {@code context} for the sends of handlers. */
    public static ReceptionFifoConsumer ofReplies(NodeMemory node, int context, int lane) {
        return new ReceptionFifoConsumer(
                node,
                lane / node.layout().dimensions().engines(),
                node.replyLaneOffset(context, lane),
                node.replyLaneHeadOffset(context, lane),
                NodeDimensions.REPLY_LANE_BYTES);
    }

    /** Returns the rank that writes this lane. */
    public int origin() {
        return origin;
    }

    /** Returns true once this lane has held an impossible record. */
    public boolean isQuarantined() {
        return quarantined;
    }

    /**
     * Returns the offset of the next header in the peers' half. While the word there is zero, {@link #poll} has nothing
     * to do.
     */
    long nextHeader() {
        return lane + ((int) head & mask);
    }

    /**
     * Passes up to {@code limit} records to {@code handler} until the handler refuses one, and returns the number of
     * accepted records.
     */
    public int poll(RecordHandler handler, int limit) {
        int count = 0;
        while (count < limit && !quarantined) {
            final int index = (int) head & mask;
            final long header = memory.getLongAcquire(lane + index);
            final int length = LaneRecord.length(header);
            // Successive messages often have the same kind and length, so the validation of the last header holds for
            // an equal one.
            if (header != lastMessage || length > capacity - index) {
                if (header == 0) {
                    returnSpace();
                    break;
                }
                if (!isSane(header, length, index)) {
                    quarantined = true;
                    handler.onQuarantine(origin);
                    break;
                }
                if (LaneRecord.kind(header) == LaneRecord.PAD) {
                    head += length;
                    continue;
                }
                lastMessage = message(handler, header);
            }
            // Advance before the handler runs, so that a message is not delivered again if its handler throws.
            head += LaneRecord.alignedLength(length);
            count++;
            try {
                if (!dispatch(handler, header, index)) {
                    head -= LaneRecord.alignedLength(length);
                    return count - 1;
                }
            } finally {
                if (head - returned >= returnLength) {
                    returnSpace();
                }
            }
        }
        if (count == limit && memory.getLongAcquire(nextHeader()) == 0) {
            returnSpace();
        }
        return count;
    }

    /** Returns the header of a message whose origin is then {@link #lastEndpoint}, or no message for other kinds. */
    private long message(RecordHandler handler, long header) {
        if (LaneRecord.kind(header) != LaneRecord.MESSAGE) {
            return NO_MESSAGE;
        }
        final int context = LaneRecord.originContext(header);
        if (context != lastContext) {
            lastEndpoint = handler.endpoint(origin, context);
            lastContext = context;
        }
        return header;
    }

    private boolean dispatch(RecordHandler handler, long header, int index) {
        if (header == lastMessage) {
            final int metadataLength = LaneRecord.metadataLength(header);
            final int payloadLength = LaneRecord.length(header) - LaneRecord.HEADER_LENGTH - metadataLength;
            final int metadata = index + LaneRecord.HEADER_LENGTH;
            return handler.onMessage(
                    lastEndpoint, LaneRecord.id(header), buffer, metadata, metadataLength, payloadLength);
        }
        if (LaneRecord.kind(header) == LaneRecord.EVENT) {
            handler.onEvent(LaneRecord.id(header));
        } else {
            handler.onFifoEvent(LaneRecord.id(header));
        }
        return true;
    }

    private boolean isSane(long header, int length, int index) {
        final int kind = LaneRecord.kind(header);
        if (kind == LaneRecord.PAD) {
            // A pad is never at index 0: a lane that is one pad would be walked round for ever.
            return index != 0 && length == capacity - index;
        }
        final int metadataLength = LaneRecord.metadataLength(header);
        return kind >= LaneRecord.MESSAGE
                && kind <= LaneRecord.FIFO_EVENT
                && metadataLength <= Descriptor.MAX_METADATA_LENGTH
                && LaneRecord.originContext(header) < Endpoint.CONTEXTS
                && length >= LaneRecord.HEADER_LENGTH + metadataLength
                && length <= returnLength
                && length <= capacity - index;
    }

    private void returnSpace() {
        if (returned != head) {
            returned = head;
            heads.putLongRelease(headOffset, head);
        }
    }
}
