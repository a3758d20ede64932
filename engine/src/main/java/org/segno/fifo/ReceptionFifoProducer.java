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

    /** Bytes of a batch: enough to hide the hand-over, few enough that the consumer starts while more are written. */
    private static final int BATCH_BYTES = 2048;

    private final Memory memory;
    private final Memory heads;
    private final long lane;
    private final long headOffset;
    private final int capacity;
    private final int mask;
    private final int maxBodyLength;

    /** Where the next record goes; at the end of the lane, it goes to the beginning. */
    private long at;

    /** Up to where records can be written without a look at the head, a pad or an end of the batch. */
    private long limit;

    /** Where the batch begins; it is empty while that is where the next record goes. */
    private long batchAt;

    private long firstHeader;

    /** Position of the lane's first byte in this round through it. */
    private long lap;

    private long batchTail;
    private long headCache;
    private long zeroed;
    private int claimedLength;

    private ReceptionFifoProducer(NodeMemory target, long lane, long headOffset, int capacity) {
        this.memory = target.peers();
        this.heads = target.owner();
        this.lane = lane;
        this.headOffset = headOffset;
        this.capacity = capacity;
        this.mask = capacity - 1;
        this.maxBodyLength = LaneRecord.maxBodyLength(capacity);
        this.at = lane;
        this.limit = lane;
        this.batchAt = lane;
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
        if (!isReady(LaneRecord.alignedLength(length))) {
            return Status.BACK_PRESSURED;
        }
        claimedLength = length;
        return at + LaneRecord.HEADER_LENGTH;
    }

    /** True if {@code aligned} bytes can be written: most times one comparison tells. */
    private boolean isReady(int aligned) {
        return at + aligned <= limit || makeRoom(aligned);
    }

    private boolean makeRoom(int aligned) {
        if (tail() - batchTail >= BATCH_BYTES) {
            flush();
        }
        final int toEnd = (int) (lane + capacity - at);
        final int padded = aligned <= toEnd ? 0 : toEnd;
        if (!hasRoom(padded + aligned + LaneRecord.ALIGNMENT)) {
            flush();
            return false;
        }
        if (padded != 0) {
            append(LaneRecord.header(toEnd, 0, 0, LaneRecord.PAD), toEnd);
        }
        if (at == lane + capacity) {
            lap += capacity;
            batchAt = at == batchAt ? lane : batchAt;
            at = lane;
        }
        final long room = headCache + capacity - LaneRecord.ALIGNMENT - tail();
        final long ofBatch = Math.max(aligned, BATCH_BYTES - (tail() - batchTail));
        limit = at + Math.min(Math.min(room, ofBatch), lane + capacity - at);
        return true;
    }

    /** Position behind the last record, counted on from round to round. */
    private long tail() {
        return lap + (at - lane);
    }

    private boolean hasRoom(int bytes) {
        final long tail = tail();
        if (capacity - (tail - headCache) >= bytes) {
            return true;
        }
        final long head = heads.getLongAcquire(headOffset);
        // A head that runs backwards, past the tail or into a record is not believed: the lane stays full, and nothing
        // is overwritten.
        if (head - headCache >= 0 && tail - head >= 0 && (head & (LaneRecord.ALIGNMENT - 1)) == 0) {
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
        final int length = LaneRecord.HEADER_LENGTH + bodyLength;
        final int aligned = LaneRecord.alignedLength(length);
        if (!isReady(aligned)) {
            return false;
        }
        source.copyShortTo(offset, memory, at + LaneRecord.HEADER_LENGTH, bodyLength);
        append(LaneRecord.header(length, dispatchId, metadataLength, LaneRecord.MESSAGE), aligned);
        return true;
    }

    /** Adds the record claimed last to the batch, as a message. */
    public void publish(int dispatchId, int metadataLength) {
        append(
                LaneRecord.header(claimedLength, dispatchId, metadataLength, LaneRecord.MESSAGE),
                LaneRecord.alignedLength(claimedLength));
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
        if (at == batchAt) {
            firstHeader = header;
        } else {
            memory.putLong(at, header);
        }
        at += aligned;
    }

    /** Hands the batch over: everything published so far is visible to the consumer. */
    public void flush() {
        if (at == batchAt) {
            return;
        }
        if (CrashPoint.ON) {
            CrashPoint.RECORDS_WRITTEN.reached();
        }
        final long tail = tail();
        if (tail >= zeroed) {
            zero(tail, lineEnd(tail));
        }
        memory.putLongRelease(batchAt, firstHeader);
        batchAt = at;
        batchTail = tail;
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
