package org.segno.engine.fifo;

import java.util.Arrays;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.Memory;
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
    /** Length without a last message: it exceeds every lane, so that no header passes for an equal one. */
    private static final int NO_MESSAGE = Integer.MAX_VALUE;

    /** Number of records of a poll up to which their space is returned at its limit. */
    private static final int FEW = 16;

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

    private int lastLength = NO_MESSAGE;

    private int lastContext = -1;
    private long lastEndpoint;

    /** Last received origin by the number of its context; null until one was received. */
    private int @Nullable [] origins;

    private long returned;
    private boolean quarantined;

    /** The handler did not accept the message at the head. */
    private boolean refused;

    private ReceptionFifoConsumer(Lane place, int origin) {
        this.memory = place.records();
        this.heads = place.heads();
        this.lane = place.offset();
        this.headOffset = place.headOffset();
        this.origin = origin;
        this.capacity = place.capacity();
        this.mask = capacity - 1;
        this.returnLength = capacity / 4;
        this.buffer = memory.buffer(lane, capacity);
    }

    /** Returns the reader of a lane that rank {@code origin} writes. */
    static ReceptionFifoConsumer of(Lane place, int origin) {
        return new ReceptionFifoConsumer(place, origin);
    }

    /** Returns the lane {@code lane} of {@code node} into {@code context}. */
    public static ReceptionFifoConsumer of(NodeMemory node, int context, int lane) {
        return new ReceptionFifoConsumer(Lane.of(node, context, lane), node.originOf(lane));
    }

    /** Returns the lane {@code lane} of {@code node} into {@code context} for the sends of handlers. */
    public static ReceptionFifoConsumer ofReplies(NodeMemory node, int context, int lane) {
        return new ReceptionFifoConsumer(Lane.ofReplies(node, context, lane), node.originOf(lane));
    }

    /** Returns the rank that writes this lane. */
    public int origin() {
        return origin;
    }

    /** Returns true if this is the reader of a lane. */
    boolean isAt(Lane place) {
        return memory == place.records() && lane == place.offset();
    }

    /** Returns true once this lane has held an impossible record. */
    public boolean isQuarantined() {
        return quarantined;
    }

    /** Returns the memory of the records. */
    Memory memory() {
        return memory;
    }

    /**
     * Returns the offset of the next header in {@link #memory}. While the word there is zero, {@link #poll} has nothing
     * to do.
     */
    long nextHeader() {
        return lane + ((int) head & mask);
    }

    /**
     * Passes up to {@code limit} records to {@code handler} until the handler refuses one, and returns the number of
     * accepted records. After the last one it does not look at the next header: that often lies in another cache line,
     * for which a caller that answers would wait.
     */
    public int poll(RecordHandler handler, int limit) {
        int count = 0;
        refused = false;
        // Records that are not passed on do not count. A forged lane may have nothing else, round and round.
        final long end = head + capacity;
        while (count < limit && head - end < 0 && !quarantined && !refused) {
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
        if (count == limit && count <= FEW) {
            // The caller may not poll again for long.
            returnSpace();
        }
        return count;
    }

    /** Passes all records to {@code handler}, which accepts each, and returns their space. */
    void drain(RecordHandler handler) {
        poll(handler, Integer.MAX_VALUE);
        returnSpace();
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
                final int body = index + LaneRecord.HEADER_LENGTH;
                // One call for a message, not two: the caller of all handlers is too long to be inlined here once a
                // process has many kinds of them.
                final LaneMessageHandler direct = handler.handlerOf(id);
                if (direct != null) {
                    direct.onMessage(endpoint, buffer, body, metadataLength, body + metadataLength, payloadLength);
                } else if (!handler.onMessage(endpoint, id, buffer, body, metadataLength, payloadLength)) {
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
            remember(header, length);
            return 0;
        }
        head += LaneRecord.alignedLength(length);
        if (kind == LaneRecord.PAD) {
            return 0;
        }
        if (kind == LaneRecord.ORIGIN) {
            learn(LaneRecord.originOf(header));
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
    private void remember(long header, int length) {
        final int context = LaneRecord.originContext(header);
        if (context != lastContext) {
            lastEndpoint =
                    ContextStates.endpoint(origin, origins == null ? ContextStates.origin(context) : origins[context]);
            lastContext = context;
        }
        lastMessage = header;
        lastLength = length;
    }

    /** Keeps the client and the use of a context, for its messages from here on. */
    private void learn(int published) {
        int[] known = origins;
        if (known == null) {
            known = new int[Endpoint.CONTEXTS];
            Arrays.setAll(known, ContextStates::origin);
            origins = known;
        }
        known[ContextStates.originContext(published)] = published;
        lastContext = -1;
        lastLength = NO_MESSAGE;
    }

    private boolean isSane(long header, int length, int index) {
        if (LaneRecord.kind(header) == LaneRecord.PAD) {
            // A pad is never at index 0: a lane that is one pad would be walked round for ever.
            return index != 0 && length == capacity - index;
        }
        return LaneRecord.isPossible(header) && length <= returnLength && length <= capacity - index;
    }

    private void returnSpace() {
        if (returned != head) {
            returned = head;
            heads.putLongRelease(headOffset, head);
        }
    }
}
