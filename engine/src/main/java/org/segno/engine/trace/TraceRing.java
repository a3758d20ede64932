package org.segno.engine.trace;

import org.agrona.concurrent.MessageHandler;
import org.agrona.concurrent.ringbuffer.OneToOneRingBuffer;
import org.agrona.concurrent.ringbuffer.RingBufferDescriptor;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;

/**
 * Bounded ring of {@link TraceRecord}s in process memory, from one engine to the thread that consumes its trace. The
 * producer is the thread that runs the engine. It never waits: records without room are counted, and a record of
 * {@link TraceRecord#LOST} takes their place as soon as there is room.
 *
 * <p>Counts of lost records, after the ring:
 *
 * <pre>
 *  offset  length  field        written by  access
 *       0       8  records      engine      release
 *       8       8  descriptors  engine      release
 *      16       8  rounds       engine      release
 *      24       8  bytes        engine      release
 *      32          LOSSES_LENGTH
 * </pre>
 */
public final class TraceRing {
    /** Result of {@link #claim} for a record without room. */
    public static final int NO_ROOM = -1;

    /** Minimum and default capacity in bytes. The longest record is an eighth of the capacity. */
    public static final int MIN_BYTES = 1 << 20;

    public static final int DEFAULT_BYTES = 1 << 24;

    /** Maximum capacity in bytes. */
    public static final int MAX_BYTES = 1 << 30;

    /** Agrona requires a type above zero for each message. */
    private static final int TYPE = 1;

    private static final int LOSSES_LENGTH = 4 * Long.BYTES;

    private final Memory memory;
    private final OneToOneRingBuffer ring;
    private final long losses;

    /** Losses that no record has reported yet. Written by the producer. */
    private int unreportedRecords;

    private long unreportedDescriptors;
    private long unreportedRounds;
    private long unreportedBytes;

    /**
     * Losses of a ring since its creation.
     *
     * @param records records without room
     * @param descriptors descriptors in them
     * @param rounds rounds of patterns among them
     * @param bytes bytes of payloads in them
     */
    public record Losses(long records, long descriptors, long rounds, long bytes) {}

    /**
     * Creates an empty ring.
     *
     * @param bytes capacity, a power of two from {@link #MIN_BYTES} to {@link #MAX_BYTES}
     * @throws IllegalArgumentException if the capacity is none of these
     */
    public TraceRing(int bytes) {
        if (bytes < MIN_BYTES || bytes > MAX_BYTES || Integer.bitCount(bytes) != 1) {
            throw new IllegalArgumentException("the capacity of a ring of traces must be a power of two from "
                    + MIN_BYTES + " to " + MAX_BYTES + " bytes: " + bytes);
        }
        this.losses = (long) bytes + RingBufferDescriptor.TRAILER_LENGTH;
        this.memory = MappedMemory.ofProcess((int) losses + LOSSES_LENGTH);
        this.ring = new OneToOneRingBuffer(memory.buffer(0, (int) losses));
    }

    /** Returns the memory of the records. */
    public Memory memory() {
        return memory;
    }

    /** Returns the maximum length of a record in bytes. */
    public int maxLength() {
        return ring.maxMsgLength();
    }

    /**
     * Claims room for a record. The producer then writes it, and commits or aborts it.
     *
     * @param bytes length of the record, at most {@link #maxLength}
     * @return offset of the record in {@link #memory}, a multiple of eight, or {@link #NO_ROOM}
     */
    public int claim(int bytes) {
        if (unreportedRecords != 0 && !reportLosses()) {
            return NO_ROOM;
        }
        final int index = ring.tryClaim(TYPE, bytes);
        return index < 0 ? NO_ROOM : index;
    }

    /** Publishes a claimed record. */
    public void commit(int index) {
        ring.commit(index);
    }

    /** Gives a claimed record up. */
    public void abort(int index) {
        ring.abort(index);
    }

    /** Counts a record without room. */
    public void lost(long descriptors, long rounds, long bytes) {
        unreportedRecords++;
        unreportedDescriptors += descriptors;
        unreportedRounds += rounds;
        unreportedBytes += bytes;
        add(0, 1);
        add(Long.BYTES, descriptors);
        add(2 * Long.BYTES, rounds);
        add(3 * Long.BYTES, bytes);
    }

    /** Writes a {@link TraceRecord#LATE_REFUSAL}: the refusal of a number of operations by a rank. */
    public void refusedLater(int injectionCounter, int rank, int code, int operations) {
        final int index = claim(TraceRecord.HEADER_LENGTH);
        if (index == NO_ROOM) {
            lost(0, 0, 0);
            return;
        }
        clear(index);
        memory.putByte(index, (byte) TraceRecord.LATE_REFUSAL);
        memory.putLong(index + TraceRecord.TIME_OFFSET, System.nanoTime());
        memory.putLong(index + TraceRecord.POSITION_OFFSET, rank);
        memory.putInt(index + TraceRecord.PATTERN_OFFSET, TraceRecord.NO_PATTERN);
        memory.putInt(index + TraceRecord.COUNT_OFFSET, injectionCounter);
        memory.putInt(index + TraceRecord.CODE_OFFSET, code);
        memory.putInt(index + TraceRecord.DETAIL_OFFSET, operations);
        ring.commit(index);
    }

    private void add(int field, long count) {
        memory.putLongRelease(losses + field, memory.getLong(losses + field) + count);
    }

    private boolean reportLosses() {
        final int index = ring.tryClaim(TYPE, TraceRecord.HEADER_LENGTH);
        if (index < 0) {
            return false;
        }
        clear(index);
        memory.putByte(index, (byte) TraceRecord.LOST);
        memory.putLong(index + TraceRecord.TIME_OFFSET, System.nanoTime());
        memory.putLong(index + TraceRecord.POSITION_OFFSET, unreportedBytes);
        memory.putLong(index + TraceRecord.GENERATION_OFFSET, unreportedRounds);
        memory.putInt(index + TraceRecord.PATTERN_OFFSET, TraceRecord.NO_PATTERN);
        memory.putInt(index + TraceRecord.COUNT_OFFSET, unreportedRecords);
        memory.putLong(index + TraceRecord.DESCRIPTORS_OFFSET, unreportedDescriptors);
        ring.commit(index);
        unreportedRecords = 0;
        unreportedDescriptors = 0;
        unreportedRounds = 0;
        unreportedBytes = 0;
        return true;
    }

    /** Sets the fields of a claimed record to zero. */
    private void clear(int index) {
        for (int field = 0; field < TraceRecord.HEADER_LENGTH; field += Long.BYTES) {
            memory.putLong(index + field, 0);
        }
    }

    /**
     * Passes published records to {@code handler}, and returns their number: 0 only if there are none. Called by the
     * consumer.
     */
    public int poll(MessageHandler handler, int limit) {
        final int count = ring.read(handler, limit);
        // A read ends at the end of the buffer, even if only padding is before it and records are at the beginning.
        return count < limit ? count + ring.read(handler, limit - count) : count;
    }

    /** Returns what was lost so far. Any thread may call this method. */
    public Losses lossesAcquire() {
        return new Losses(
                memory.getLongAcquire(losses),
                memory.getLongAcquire(losses + Long.BYTES),
                memory.getLongAcquire(losses + 2L * Long.BYTES),
                memory.getLongAcquire(losses + 3L * Long.BYTES));
    }
}
