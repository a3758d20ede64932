package org.segno.fifo;

import java.util.Arrays;
import org.segno.fault.CrashPoint;
import org.segno.memory.Memory;
import org.segno.memory.NodeDimensions;
import org.segno.memory.NodeMemory;
import org.segno.status.Status;

/**
 * The landing end of a reception lane: the one engine that writes to it holds this. One thread.
 *
 * <p>Claim room for a record, write its body, publish it. A lane without room answers {@link Status#BACK_PRESSURED}. A record is
 * at most a quarter of its lane, so that it fits as soon as the consumer has emptied the lane, pad included.
 *
 * <p>Records are handed over in batches: the header of a batch's first record is held back and stored last, so that a consumer
 * that waits for it does not take each line away while it is being written. {@link #flush} ends a batch.
 *
 * <p>The header after the last record must be zero before the batch is handed over. That store would wait for a line of its own,
 * so the line after the current one is zeroed in advance, when nobody waits.
 */
public final class ReceptionFifoProducer {
    private static final int LINE_LENGTH = 64;

    /** Records in a batch: enough to hide the hand-over, few enough that the consumer starts while more are written. */
    private static final int BATCH_LIMIT = 32;

    private final Memory memory;
    private final Memory heads;
    private final long lane;
    private final long headOffset;
    private final int capacity;
    private final int mask;
    private final int maxBodyLength;
    private long tail;
    private long headCache;
    private int claimedLength;
    private long zeroed;
    private long firstHeader;
    private int firstIndex;
    private int batched;

    private ReceptionFifoProducer(NodeMemory target, long lane, long headOffset, int capacity) {
        this.memory = target.peers();
        this.heads = target.owner();
        this.lane = lane;
        this.headOffset = headOffset;
        this.capacity = capacity;
        this.mask = capacity - 1;
        this.maxBodyLength = LaneRecord.maxBodyLength(capacity);
    }

    /** The lanes into each context of {@code target} that an engine of {@code origin} writes. */
    public static ReceptionFifoProducer[] of(NodeMemory target, Origin origin) {
        final int lane = origin.rank() * target.layout().dimensions().engines() + origin.engine();
        final ReceptionFifoProducer[] lanes =
                new ReceptionFifoProducer[target.layout().dimensions().contexts()];
        Arrays.setAll(
                lanes, context -> origin.handlers() ? ofReplies(target, context, lane) : of(target, context, lane));
        return lanes;
    }

    /**
     * Who writes to lanes.
     *
     * @param rank whose engine
     * @param engine which of its engines
     * @param handlers true for what its handlers send
     */
    public record Origin(int rank, int engine, boolean handlers) {}

    /** The lane of {@code target} into {@code context} with this number, which is one engine's to write. */
    public static ReceptionFifoProducer of(NodeMemory target, int context, int lane) {
        return new ReceptionFifoProducer(
                target,
                target.laneOffset(context, lane),
                target.laneHeadOffset(context, lane),
                target.layout().dimensions().laneBytes());
    }

    /** Likewise, the lane for what handlers send. */
    public static ReceptionFifoProducer ofReplies(NodeMemory target, int context, int lane) {
        return new ReceptionFifoProducer(
                target,
                target.replyLaneOffset(context, lane),
                target.replyLaneHeadOffset(context, lane),
                NodeDimensions.REPLY_LANE_BYTES);
    }

    /** Metadata and payload together that fit one record, bytes. */
    public int maxBodyLength() {
        return maxBodyLength;
    }

    /** Where the offsets of claimed records point into. */
    public Memory memory() {
        return memory;
    }

    /**
     * Claims a record for {@code bodyLength} bytes of metadata and payload, at most {@link #maxBodyLength}.
     *
     * @return the offset in the target's memory at which the body is to be written, or {@link Status#BACK_PRESSURED}
     */
    public long claim(int bodyLength) {
        final int length = LaneRecord.HEADER_LENGTH + bodyLength;
        final int aligned = LaneRecord.alignedLength(length);
        int index = (int) tail & mask;
        final int toEnd = capacity - index;
        final int padded = aligned <= toEnd ? 0 : toEnd;
        if (!hasRoom(padded + aligned + LaneRecord.ALIGNMENT)) {
            flush();
            return Status.BACK_PRESSURED;
        }
        if (padded != 0) {
            append(LaneRecord.header(toEnd, 0, 0, LaneRecord.PAD), toEnd);
            index = 0;
        }
        claimedLength = length;
        return lane + index + LaneRecord.HEADER_LENGTH;
    }

    private boolean hasRoom(int bytes) {
        if (capacity - (tail - headCache) >= bytes) {
            return true;
        }
        final long head = heads.getLongAcquire(headOffset);
        // A head that runs backwards or past the tail is not believed: the lane stays full, and nothing is overwritten.
        if (head - headCache >= 0 && tail - head >= 0) {
            headCache = head;
        }
        return capacity - (tail - headCache) >= bytes;
    }

    /**
     * Claims, writes and publishes a message whose short body, metadata and payload, lies in one piece.
     *
     * @return false if the lane has no room; nothing has happened then, but the batch is handed over
     */
    public boolean tryAppend(Memory source, long offset, int bodyLength, int dispatchId, int metadataLength) {
        final long body = claim(bodyLength);
        if (body < 0) {
            return false;
        }
        source.copyShortTo(offset, memory, body, bodyLength);
        publish(dispatchId, metadataLength);
        return true;
    }

    /** Adds the record claimed last to the batch, as a message. A full batch is handed over. */
    public void publish(int dispatchId, int metadataLength) {
        append(
                LaneRecord.header(claimedLength, dispatchId, metadataLength, LaneRecord.MESSAGE),
                LaneRecord.alignedLength(claimedLength));
        // Above it too: a pad counts as a record.
        if (batched >= BATCH_LIMIT) {
            flush();
        }
    }

    /** Hands over an event: counter {@code id} was hit. Needs room for an empty record, which {@link #claim} of 0 makes sure of. */
    public void publishEvent(int id) {
        publishEvent(id, LaneRecord.EVENT);
    }

    /** As {@link #publishEvent}: the threshold of the owner's FIFO {@code number} was crossed. */
    public void publishFifoEvent(int number) {
        publishEvent(number, LaneRecord.FIFO_EVENT);
    }

    /** True if there is room for what a PUT that notifies publishes: its notice, and before it the event of its counter. */
    public boolean hasNoticeRoom() {
        return claim(LaneRecord.NOTICE_LENGTH + LaneRecord.ALIGNMENT) >= 0;
    }

    /** Hands over that bytes have landed: needs {@link #hasNoticeRoom}. */
    public void publishNotice(int dispatchId, int counter, long offset, long length) {
        final long body = claim(LaneRecord.NOTICE_LENGTH);
        memory.putLong(body + LaneRecord.NOTICE_COUNTER_OFFSET, counter);
        memory.putLong(body + LaneRecord.NOTICE_OFFSET_OFFSET, offset);
        memory.putLong(body + LaneRecord.NOTICE_BYTES_OFFSET, length);
        publish(dispatchId, LaneRecord.NOTICE_LENGTH);
        flush();
    }

    private void publishEvent(int id, int kind) {
        append(LaneRecord.header(LaneRecord.HEADER_LENGTH, id, 0, kind), LaneRecord.ALIGNMENT);
        flush();
    }

    private void append(long header, int aligned) {
        final int index = (int) tail & mask;
        if (batched++ == 0) {
            firstHeader = header;
            firstIndex = index;
        } else {
            memory.putLong(lane + index, header);
        }
        tail += aligned;
    }

    /** Hands the batch over: everything published so far is visible to the consumer. */
    public void flush() {
        if (batched == 0) {
            return;
        }
        batched = 0;
        if (CrashPoint.ON) {
            CrashPoint.RECORDS_WRITTEN.reached();
        }
        if (tail >= zeroed) {
            zero(tail, lineEnd(tail));
        }
        memory.putLongRelease(lane + firstIndex, firstHeader);
        final long ahead = lineEnd(tail) + LINE_LENGTH;
        if (zeroed < ahead && ahead <= headCache + capacity) {
            zero(zeroed, ahead);
        }
    }

    /** Zeroes headers from {@code from} on, as far as the consumer has returned the space: at least one. */
    private void zero(long from, long to) {
        final long end = Math.min(to, headCache + capacity);
        for (long position = from; position < end; position += LaneRecord.ALIGNMENT) {
            memory.putLong(lane + ((int) position & mask), 0);
        }
        zeroed = end;
    }

    private static long lineEnd(long position) {
        return (position | (LINE_LENGTH - 1)) + 1;
    }
}
