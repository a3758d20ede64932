package org.segno.engine.fifo;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.segno.engine.fault.CrashPoint;
import org.segno.engine.memory.ContextStates;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;
import org.segno.engine.memory.NodeMemory;
import org.segno.geometry.Endpoint;
import org.segno.status.Status;

/**
 * The landing end of a reception lane, held by the one engine that writes to the lane. Used by one thread.
 *
 * <p>The engine claims room for a record, writes its body and publishes it. A lane without room returns
 * {@link Status#BACK_PRESSURED}. A record is at most a quarter of its lane, so that it fits, including a pad, as soon
 * as the consumer has emptied the lane.
 *
 * <p>Records are published in batches. The header of a batch's first record is withheld and stored last. A consumer
 * that polls this header therefore does not take away each cache line while it is being written. {@link #flush} ends a
 * batch.
 *
 * <p>The header after the last record must be zero before the batch is published. That store would stall on a cache
 * line of its own, so the line after the current one is zeroed in advance, when no consumer waits.
 */
public final class ReceptionFifoProducer {
    private static final int LINE_LENGTH = 64;

    /**
     * Bytes of a batch: large enough to hide the cost of publication, small enough that the consumer starts while
     * further records are written.
     */
    private static final int BATCH_BYTES = 2048;

    private final Memory memory;
    private final Memory heads;
    private final long lane;
    private final long headOffset;
    private final int capacity;
    private final int mask;
    private final int maxBodyLength;

    /** Offset of the next record. At the end of the lane, the next record goes to its beginning. */
    private long at;

    /** Offset up to which records can be written without a check of the head, a pad or the end of the batch. */
    private long limit;

    /** Offset of the batch's first record. The batch is empty while this equals the offset of the next record. */
    private long batchAt;

    private long firstHeader;

    /** Position of the lane's first byte in the current round through the lane. */
    private long lap;

    private long batchTail;
    private long headCache;
    private long zeroed;
    private int claimedLength;

    /** Length of the longest record that has found no room since one of its length was written, or zero. */
    private int reserved;

    /** Origin of the messages that follow. */
    private int from;

    /** Bits in the headers of messages that name the context of their origin. */
    private long origin;

    /** Last published origin by the number of its context; null until one differs from the first origin. */
    private int @Nullable [] origins;

    /** True while a record is lent, which leaves no room for others. */
    private boolean lent;

    private ReceptionFifoProducer(Lane place) {
        this.memory = place.records();
        this.heads = place.heads();
        this.lane = place.offset();
        this.headOffset = place.headOffset();
        this.capacity = place.capacity();
        this.mask = capacity - 1;
        this.maxBodyLength = LaneRecord.maxBodyLength(capacity);
        this.at = lane;
        this.limit = lane;
        this.batchAt = lane;
    }

    /** Returns the writer of an empty lane, all bytes of which are zero. Only one engine may write it. */
    public static ReceptionFifoProducer to(Lane place) {
        return new ReceptionFifoProducer(place);
    }

    /** Returns the writer of no lane: it never has room, and no record is short enough for it. */
    public static ReceptionFifoProducer none() {
        final Memory nothing = MappedMemory.ofProcess(Long.BYTES);
        return new ReceptionFifoProducer(new Lane(nothing, 0, nothing, 0, 0));
    }

    /** Returns the lanes into each context of {@code target}, which {@code origin} maps, that one engine writes. */
    public static ReceptionFifoProducer[] of(NodeMemory target, Origin origin) {
        final int lane = target.lane(origin.rank(), origin.engine());
        if (lane < 0) {
            throw new IllegalArgumentException("rank " + origin.rank() + " has no lane in the memory of rank "
                    + target.rank() + ", which it does not map");
        }
        final ReceptionFifoProducer[] lanes =
                new ReceptionFifoProducer[target.layout().dimensions().contexts()];
        Arrays.setAll(
                lanes, context -> origin.handlers() ? ofReplies(target, context, lane) : of(target, context, lane));
        return lanes;
    }

    /**
     * Identity of the writer of a set of lanes.
     *
     * @param rank rank of the engine
     * @param engine number of the engine within its rank
     * @param handlers true for the lanes of sends by handlers
     */
    public record Origin(int rank, int engine, boolean handlers) {}

    /** Returns the lane {@code lane} of {@code target} into {@code context}, which only one engine may write. */
    public static ReceptionFifoProducer of(NodeMemory target, int context, int lane) {
        return new ReceptionFifoProducer(Lane.of(target, context, lane));
    }

    /** Returns the lane {@code lane} of {@code target} into {@code context} for the sends of handlers. */
    public static ReceptionFifoProducer ofReplies(NodeMemory target, int context, int lane) {
        return new ReceptionFifoProducer(Lane.ofReplies(target, context, lane));
    }

    /** Returns the maximum length of metadata and payload together in one record, in bytes. */
    public int maxBodyLength() {
        return maxBodyLength;
    }

    /**
     * Sets the origin of the messages that follow: a context of the engine's node, its client and its use
     * ({@link ContextStates}). If the reader cannot know them yet, they are published in a record of their own.
     *
     * @return false if the lane has no room for that record; the origin is not set
     */
    public boolean from(int newOrigin) {
        return newOrigin == from || change(newOrigin);
    }

    private boolean change(int newOrigin) {
        final int context = ContextStates.originContext(newOrigin);
        int[] published = origins;
        if (newOrigin != (published == null ? ContextStates.origin(context) : published[context])) {
            if (claim(0) < 0) {
                return false;
            }
            append(LaneRecord.originHeader(newOrigin), LaneRecord.ALIGNMENT);
            flush();
            if (published == null) {
                published = new int[Endpoint.CONTEXTS];
                Arrays.setAll(published, ContextStates::origin);
                origins = published;
            }
            published[context] = newOrigin;
        }
        from = newOrigin;
        origin = LaneRecord.origin(context);
        return true;
    }

    /** Returns the memory to which the offsets of claimed records refer. */
    public Memory memory() {
        return memory;
    }

    /**
     * Claims a record for {@code bodyLength} bytes of metadata and payload, at most {@link #maxBodyLength}.
     *
     * @return the offset of the body in the target's memory, or {@link Status#BACK_PRESSURED}
     */
    public long claim(int bodyLength) {
        final int length = LaneRecord.HEADER_LENGTH + bodyLength;
        if (!isReady(LaneRecord.alignedLength(length))) {
            return Status.BACK_PRESSURED;
        }
        claimedLength = length;
        return at + LaneRecord.HEADER_LENGTH;
    }

    /** Returns true if {@code aligned} bytes can be written. In most cases one comparison decides. */
    private boolean isReady(int aligned) {
        return at + aligned <= limit || makeRoom(aligned);
    }

    /**
     * Frees the way for a record of {@code aligned} bytes, if there is room. A record that finds none has its bytes
     * <em>reserved</em>: shorter records of other FIFOs leave that much room, so that they cannot take every byte that
     * becomes free. The reservation ends when so long a record is written, or when the lane is found empty.
     */
    private boolean makeRoom(int aligned) {
        if (lent) {
            return false;
        }
        if (tail() - batchTail >= BATCH_BYTES) {
            flush();
        }
        final int toEnd = (int) (lane + capacity - at);
        final int padded = aligned <= toEnd ? 0 : toEnd;
        final int kept = aligned < reserved && headCache != tail() ? reserved : 0;
        if (!hasRoom(padded + aligned + LaneRecord.ALIGNMENT + kept)) {
            flush();
            reserve(aligned);
            return false;
        }
        if (kept == 0) {
            reserved = 0;
        }
        if (padded != 0) {
            append(LaneRecord.header(toEnd, 0, 0, LaneRecord.PAD), toEnd);
        }
        if (at == lane + capacity) {
            lap += capacity;
            batchAt = at == batchAt ? lane : batchAt;
            at = lane;
        }
        final long room = headCache + capacity - LaneRecord.ALIGNMENT - kept - tail();
        final long ofBatch = Math.max(aligned, BATCH_BYTES - (tail() - batchTail));
        limit = at + Math.min(Math.min(room, ofBatch), lane + capacity - at);
        return true;
    }

    private void reserve(int aligned) {
        reserved = Math.max(reserved, aligned);
        // Shorter records are checked again, although there may be room for them.
        limit = at;
    }

    /** Returns the position after the last record, which counts on from round to round. */
    private long tail() {
        return lap + (at - lane);
    }

    private boolean hasRoom(int bytes) {
        final long tail = tail();
        if (capacity - (tail - headCache) >= bytes) {
            return true;
        }
        final long head = heads.getLongAcquire(headOffset);
        // Ignore a head that runs backwards, past the tail or into a record: the lane stays full, and nothing is
        // overwritten.
        if (head - headCache >= 0 && tail - head >= 0 && LaneRecord.isAligned(head)) {
            headCache = head;
        }
        return capacity - (tail - headCache) >= bytes;
    }

    /** Returns the bytes of the lane that the consumer has not returned. */
    public long occupied() {
        // Reads the head unless the lane is known to be empty.
        return hasRoom(capacity) ? 0 : tail() - headCache;
    }

    /** Returns the length of the lane in bytes. */
    public int capacity() {
        return capacity;
    }

    /**
     * Claims, writes and publishes a message with a short and contiguous body of metadata and payload.
     *
     * @return false if the lane has no room; then no record is written, but the batch is published
     */
    public boolean tryAppend(Memory source, long offset, int bodyLength, int dispatchId, int metadataLength) {
        final int length = LaneRecord.HEADER_LENGTH + bodyLength;
        final int aligned = LaneRecord.alignedLength(length);
        if (!isReady(aligned)) {
            return false;
        }
        final long body = at + LaneRecord.HEADER_LENGTH;
        final int first = polled(body);
        if (bodyLength > first && first != 0) {
            source.copyShortTo(offset + first, memory, body + first, bodyLength - first);
            source.copyShortTo(offset, memory, body, first);
        } else {
            source.copyShortTo(offset, memory, body, bodyLength);
        }
        append(header(bodyLength, dispatchId, metadataLength), aligned);
        return true;
    }

    /**
     * Adds {@code count} messages with the same short metadata and no payload to the batch, which has {@link #room} for
     * them.
     */
    public void appendSame(Memory source, long offset, int length, int dispatchId, int count) {
        final long header = header(length, dispatchId, length);
        final int aligned = LaneRecord.alignedLength(LaneRecord.HEADER_LENGTH + length);
        for (int i = 0; i < count; i++) {
            final long record = at + (long) i * aligned;
            source.copyShortTo(offset, memory, record + LaneRecord.HEADER_LENGTH, length);
            memory.putLong(record, header);
        }
        at += (long) count * aligned;
    }

    /**
     * Returns the number of bytes at the start of the claimed body at {@code offset} that a waiting consumer polls,
     * because they share the cache line of the next header. They are to be written last: the consumer would take the
     * line back while the lines after it are fetched. Zero for a record that is not the first of its batch.
     */
    public int polled(long offset) {
        return at == batchAt ? LINE_LENGTH - ((int) offset & (LINE_LENGTH - 1)) : 0;
    }

    /** Returns the header of a message with a body of this length. */
    public long header(int bodyLength, int dispatchId, int metadataLength) {
        return origin
                | LaneRecord.header(
                        LaneRecord.HEADER_LENGTH + bodyLength, dispatchId, metadataLength, LaneRecord.MESSAGE);
    }

    /**
     * Returns the number of records of {@code aligned} bytes that can be written one after the other from
     * {@link #next}, header and body, before {@link #appended}. It is zero at the beginning of a batch, whose first
     * header is withheld.
     */
    public int room(int aligned) {
        return at == batchAt ? 0 : (int) (limit - at) / aligned;
    }

    /** Returns the offset of the next record in the target's memory. */
    public long next() {
        return at;
    }

    /** Adds the records before {@code end} to the batch. */
    public void appended(long end) {
        at = end;
    }

    /** Adds the record claimed last to the batch, as a message. */
    public void publish(int dispatchId, int metadataLength) {
        append(
                origin | LaneRecord.header(claimedLength, dispatchId, metadataLength, LaneRecord.MESSAGE),
                LaneRecord.alignedLength(claimedLength));
    }

    /**
     * Claims a record as {@link #claim} does, for a writer that takes its time: until {@link #publishLent} or
     * {@link #takeBack} the lane has no room for other records.
     */
    public long lend(int bodyLength) {
        flush();
        final long body = claim(bodyLength);
        if (body >= 0) {
            lent = true;
            // The next claim finds that out, at no cost to others.
            limit = at;
        }
        return body;
    }

    /** Publishes the lent record as a message. */
    public void publishLent(int dispatchId, int metadataLength) {
        lent = false;
        publish(dispatchId, metadataLength);
        flush();
    }

    /** Takes the lent record back, which was never visible. */
    public void takeBack() {
        lent = false;
        flush();
        // Its body may lie where headers were zeroed in advance. Its own header is still zero.
        zeroed = Math.min(zeroed, tail() + LaneRecord.ALIGNMENT);
    }

    /**
     * Publishes the event that counter {@code id} was hit. It needs room for an empty record, which {@link #claim} of 0
     * ensures.
     */
    public void publishEvent(int id) {
        publishEvent(id, LaneRecord.EVENT);
    }

    /**
     * Publishes the event that FIFO {@code number} of the owner crossed a threshold: that of its fill, or with
     * {@link LaneRecord#FREE_EVENT} that of its free slots. It needs the same room as {@link #publishEvent}.
     */
    public void publishFifoEvent(int number) {
        publishEvent(number, LaneRecord.FIFO_EVENT);
    }

    /**
     * Returns true if there is room for the records of a PUT that notifies: its notice, preceded by the event of its
     * counter.
     */
    public boolean hasNoticeRoom() {
        return claim(LaneRecord.NOTICE_LENGTH + LaneRecord.ALIGNMENT) >= 0;
    }

    /** Publishes the notice that bytes have landed. It needs {@link #hasNoticeRoom}. */
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

    /** Publishes the batch, which makes all its records visible to the consumer. */
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

    /**
     * Zeroes headers from {@code from} up to {@code to}, as far as the consumer has returned the space, and at least
     * one.
     */
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
