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

    /** Header of the last message. */
    private long lastMessage;

    /** Its length. Before the first message it exceeds every lane, so that no header passes for an equal one. */
    private int lastLength = Integer.MAX_VALUE;

    private int lastContext = -1;
    private long lastEndpoint;

    private long returned;
    private boolean quarantined;

    /** The handler did not accept the message at the head. */
    private boolean refused;

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
        refused = false;
        while (count < limit && !quarantined && !refused) {
            final int index = (int) head & mask;
            final long header = memory.getLongAcquire(lane + index);
            // Successive messages often have the same kind and length, so the validation of the last header holds for
            // an equal one.
            if (header == lastMessage && lastLength <= capacity - index) {
                count += pollEqual(handler, limit - count);
            } else if (header == 0) {
                returnSpace();
                return count;
            } else if (isSane(header, LaneRecord.length(header), index)) {
                count += pollOther(handler, header);
            } else {
                quarantined = true;
                handler.onQuarantine(origin);
            }
        }
        if (count == limit && memory.getLongAcquire(nextHeader()) == 0) {
            returnSpace();
        }
        return count;
    }

    /**
     * Passes the message at the head, whose header equals that of the last one, and those like it after it, to the
     * handler. Returns the number of accepted messages.
     *
     * <p>The address of the next record follows from the last length, and not from the header just read. The processor
     * can therefore ask for the next cache line before this one has arrived.
     */
    private int pollEqual(RecordHandler handler, int most) {
        final long header = lastMessage;
        final long endpoint = lastEndpoint;
        final int id = LaneRecord.id(header);
        final int aligned = LaneRecord.alignedLength(lastLength);
        final int metadataLength = LaneRecord.metadataLength(header);
        final int payloadLength = lastLength - LaneRecord.HEADER_LENGTH - metadataLength;
        final int last = capacity - lastLength;
        int index = (int) head & mask;
        int count = 0;
        try {
            do {
                // Advance before the handler runs, so that a message is not delivered again if its handler throws.
                head += aligned;
                if (!handler.onMessage(
                        endpoint, id, buffer, index + LaneRecord.HEADER_LENGTH, metadataLength, payloadLength)) {
                    head -= aligned;
                    refused = true;
                    return count;
                }
                count++;
                if (head - returned >= returnLength) {
                    returnSpace();
                }
                index = (index + aligned) & mask;
            } while (count < most && index <= last && memory.getLongAcquire(lane + index) == header);
        } finally {
            if (head - returned >= returnLength) {
                returnSpace();
            }
        }
        return count;
    }

    /** Processes a record that is not like the last one. Returns the number of accepted records: one or none. */
    private int pollOther(RecordHandler handler, long header) {
        final int length = LaneRecord.length(header);
        final int kind = LaneRecord.kind(header);
        if (kind == LaneRecord.MESSAGE) {
            // The next turn passes it on, as a message like this one.
            remember(handler, header, length);
            return 0;
        }
        head += LaneRecord.alignedLength(length);
        if (kind == LaneRecord.PAD) {
            return 0;
        }
        try {
            if (kind == LaneRecord.EVENT) {
                handler.onEvent(LaneRecord.id(header));
            } else {
                handler.onFifoEvent(LaneRecord.id(header));
            }
        } finally {
            if (head - returned >= returnLength) {
                returnSpace();
            }
        }
        return 1;
    }

    /** Remembers the header of a message, and resolves its origin. */
    private void remember(RecordHandler handler, long header, int length) {
        final int context = LaneRecord.originContext(header);
        if (context != lastContext) {
            lastEndpoint = handler.endpoint(origin, context);
            lastContext = context;
        }
        lastMessage = header;
        lastLength = length;
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
