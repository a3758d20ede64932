package org.segno.bench.limit;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.UnsafeApi;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.MixedLengths;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Spin;
import org.segno.bench.experiment.Stream;

/**
 * Bare ring of packed records of mixed lengths: the limit for a stream of such messages.
 *
 * <p>A record is an 8-byte header and a payload. Records are published in batches: the header of a batch's first record
 * is stored last, after a zero in place of the header that follows the batch. A record that does not fit before the end
 * of the ring follows a pad, whose header is its negative length. The consumer returns space by the quarter.
 *
 * <pre>
 *  offset  length  field    written by
 *       0       8  head     consumer, release
 *     256       *  records  producer, first header of a batch by release
 * </pre>
 */
final class BareMixedRing implements Stream {
    private static final int HEADER_LENGTH = 8;
    private static final int RECORDS_OFFSET = 256;
    private static final int BATCH_LENGTH = 2048;
    private static final int LINE_LENGTH = 64;
    private static final int QUARTERS = 4;

    private final MixedLengths lengths = new MixedLengths();
    private final int capacity;
    private final long headAddress;
    private final long records;
    private final long message;

    private long position;
    private int index;

    /** Index of the first header of the batch, which is withheld. */
    private int batchIndex;

    /** First header of the batch, zero if the batch is empty. */
    private long batchHeader;

    private long batchPosition;
    private long headSeen;
    private long headReturned;
    private long sum;

    private BareMixedRing(MappedBlock block, int capacity) {
        this.capacity = capacity;
        this.headAddress = block.address();
        this.records = block.address() + RECORDS_OFFSET;
        this.message = UnsafeApi.allocateMemory(MixedLengths.LONGEST);
        UnsafeApi.setMemory(message, MixedLengths.LONGEST, (byte) 1);
    }

    /** Opens one end of a ring of {@code capacity} bytes, a power of two. */
    static BareMixedRing open(Role role, Path file, int capacity) throws IOException {
        return new BareMixedRing(MappedBlock.share(role, file, RECORDS_OFFSET + capacity), capacity);
    }

    @Override
    public void send(int messages) {
        for (int i = 0; i < messages; i++) {
            put(lengths.next());
        }
        flush();
    }

    private void put(int length) {
        final int recordLength = HEADER_LENGTH + length;
        final int toEnd = capacity - index;
        final int pad = recordLength <= toEnd ? 0 : toEnd;
        // Room for the record and one more header.
        final long end = position + pad + recordLength + HEADER_LENGTH;
        if (end - headSeen > capacity) {
            awaitRoom(end - capacity);
        }
        if (pad != 0) {
            header(-pad);
            advance(pad);
        }
        copy(message, records + index + HEADER_LENGTH, length);
        header(recordLength);
        advance(recordLength);
        if (position - batchPosition >= BATCH_LENGTH) {
            flush();
        }
    }

    /** Stores a header, or withholds it if it is the first of a batch. */
    private void header(int header) {
        if (batchHeader == 0) {
            batchHeader = header;
            batchIndex = index;
        } else {
            UnsafeApi.putLong(records + index, header);
        }
    }

    /** Copies a payload. Up to one line it is copied by words, because a call of copyMemory costs more. */
    private static void copy(long from, long to, int length) {
        if (length <= LINE_LENGTH) {
            for (int offset = 0; offset < length; offset += Long.BYTES) {
                UnsafeApi.putLong(to + offset, UnsafeApi.getLong(from + offset));
            }
        } else {
            UnsafeApi.copyMemory(from, to, length);
        }
    }

    private void advance(int length) {
        position += length;
        index = index + length == capacity ? 0 : index + length;
    }

    /** Publishes the batch. */
    private void flush() {
        if (batchHeader != 0) {
            UnsafeApi.putLong(records + index, 0);
            UnsafeApi.putLongRelease(null, records + batchIndex, batchHeader);
            batchHeader = 0;
            batchPosition = position;
        }
    }

    private void awaitRoom(long headNeeded) {
        headSeen = UnsafeApi.getLongAcquire(null, headAddress);
        if (headSeen < headNeeded) {
            flush();
        }
        int spins = 0;
        while (headSeen < headNeeded) {
            spins = Spin.pause(spins);
            headSeen = UnsafeApi.getLongAcquire(null, headAddress);
        }
    }

    @Override
    public void receive(int messages) {
        int left = messages;
        while (left > 0) {
            final long record = records + index;
            long header = UnsafeApi.getLongAcquire(null, record);
            if (header == 0) {
                release();
                header = awaitHeader(record);
            }
            if (header > 0) {
                sum += CacheLineReads.read(record + HEADER_LENGTH, (int) header - HEADER_LENGTH);
                left--;
            }
            advance((int) Math.abs(header));
            if (position - headReturned >= capacity / QUARTERS) {
                release();
            }
        }
    }

    private static long awaitHeader(long record) {
        int spins = 0;
        long header = UnsafeApi.getLongAcquire(null, record);
        while (header == 0) {
            spins = Spin.pause(spins);
            header = UnsafeApi.getLongAcquire(null, record);
        }
        return header;
    }

    private void release() {
        if (position != headReturned) {
            headReturned = position;
            UnsafeApi.putLongRelease(null, headAddress, position);
        }
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }
}
