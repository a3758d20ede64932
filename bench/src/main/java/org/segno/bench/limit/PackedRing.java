package org.segno.bench.limit;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.UnsafeApi;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Spin;
import org.segno.bench.experiment.Stream;

/**
 * Bare ring of packed records: the limit for message rates.
 *
 * <p>A record is an 8-byte header and a payload. The header's length word publishes the record; the producer zeroes the
 * next header first. All records have one length, which divides the ring, so that no padding is needed. The consumer
 * returns space by the quarter.
 *
 * <pre>
 *  offset  length  field    written by
 *       0       8  head     consumer, release
 *     256       *  records  producer, header by release
 * </pre>
 */
final class PackedRing implements Stream {
    /** Handler of received records. */
    @FunctionalInterface
    interface RecordHandler {
        /** Handles the record whose payload has this address and length. */
        void onRecord(long address, int length);
    }

    private static final int HEADER_LENGTH = 8;
    private static final int RECORDS_OFFSET = 256;
    private static final int QUARTERS = 4;

    private final int payloadLength;
    private final int recordLength;
    private final int capacity;
    private final long headAddress;
    private final long records;

    private final long message;

    private long position;
    private int index;
    private long headSeen;
    private long headReturned;
    private long sum;

    private PackedRing(MappedBlock block, int payloadLength, int recordCount) {
        this.payloadLength = payloadLength;
        this.recordLength = recordLength(payloadLength);
        this.capacity = recordLength * recordCount;
        this.headAddress = block.address();
        this.records = block.address() + RECORDS_OFFSET;
        this.message = UnsafeApi.allocateMemory(payloadLength);
        UnsafeApi.setMemory(message, payloadLength, (byte) 1);
    }

    /**
     * Opens one end of a ring.
     *
     * @param maker the origin's end creates the file, the echo's end waits for it
     * @param recordCount number of records that fit
     */
    static PackedRing open(Role maker, Path file, int payloadLength, int recordCount) throws IOException {
        final int length = RECORDS_OFFSET + recordLength(payloadLength) * recordCount;
        return new PackedRing(MappedBlock.share(maker, file, length), payloadLength, recordCount);
    }

    private static int recordLength(int payloadLength) {
        return (HEADER_LENGTH + payloadLength + 15) & -16;
    }

    @Override
    public void send(int messages) {
        for (int i = 0; i < messages; i++) {
            put(message);
        }
    }

    /** Sends one message, the bytes at an address. Waits for room if there is none. */
    void put(long source) {
        // Room for the record and one more header.
        final long end = position + recordLength + HEADER_LENGTH;
        if (end - headSeen > capacity) {
            awaitRoom(end - capacity);
        }
        final long record = records + index;
        advance();
        UnsafeApi.putLong(records + index, 0);
        for (int offset = 0; offset < payloadLength; offset += Long.BYTES) {
            UnsafeApi.putLong(record + HEADER_LENGTH + offset, UnsafeApi.getLong(source + offset));
        }
        UnsafeApi.putLongRelease(null, record, recordLength);
    }

    private void advance() {
        position += recordLength;
        index = index + recordLength == capacity ? 0 : index + recordLength;
    }

    private void awaitRoom(long headNeeded) {
        headSeen = UnsafeApi.getLongAcquire(null, headAddress);
        int spins = 0;
        while (headSeen < headNeeded) {
            spins = Spin.pause(spins);
            headSeen = UnsafeApi.getLongAcquire(null, headAddress);
        }
    }

    @Override
    public void receive(int messages) {
        for (int i = 0; i < messages; i++) {
            final long record = records + index;
            if (UnsafeApi.getLongAcquire(null, record) == 0) {
                release();
                awaitRecord(record);
            }
            sum += CacheLineReads.read(record + HEADER_LENGTH, payloadLength);
            advance();
            if (position - headReturned >= capacity / QUARTERS) {
                release();
            }
        }
    }

    /** Receives messages, each by a call of the handler. */
    void receive(int messages, RecordHandler handler) {
        for (int i = 0; i < messages; i++) {
            final long record = records + index;
            if (UnsafeApi.getLongAcquire(null, record) == 0) {
                release();
                awaitRecord(record);
            }
            handler.onRecord(record + HEADER_LENGTH, payloadLength);
            advance();
            if (position - headReturned >= capacity / QUARTERS) {
                release();
            }
        }
    }

    private static void awaitRecord(long record) {
        int spins = 0;
        while (UnsafeApi.getLongAcquire(null, record) == 0) {
            spins = Spin.pause(spins);
        }
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
