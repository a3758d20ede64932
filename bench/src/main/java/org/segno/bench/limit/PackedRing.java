package org.segno.bench.limit;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.UnsafeApi;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Stream;

/**
 * A bare ring of packed records: the limit for message rates. A record is an 8-byte header, whose length word is its
 * publication, and a payload; the producer zeroes the next header before it publishes. All records have one length, which
 * divides the ring, so that nothing needs a pad; the consumer returns space by the quarter.
 *
 * <pre>
 *  offset  length  field    written by
 *       0       8  head     consumer, release
 *     256       *  records  producer, header by release
 * </pre>
 */
final class PackedRing implements Stream {
    private static final int HEADER_LENGTH = 8;
    private static final int RECORDS_OFFSET = 256;
    private static final int QUARTERS = 4;

    private final int payloadLength;
    private final int recordLength;
    private final int capacity;
    private final long headAddress;
    private final long records;

    private long position;
    private long headSeen;
    private long headReturned;
    private long sum;

    private PackedRing(MappedBlock block, int payloadLength, int recordCount) {
        this.payloadLength = payloadLength;
        this.recordLength = recordLength(payloadLength);
        this.capacity = recordLength * recordCount;
        this.headAddress = block.address();
        this.records = block.address() + RECORDS_OFFSET;
    }

    /** Makes one end of a ring of {@code recordCount} records. */
    static PackedRing open(Role role, Path directory, int payloadLength, int recordCount) throws IOException {
        final int length = RECORDS_OFFSET + recordLength(payloadLength) * recordCount;
        return new PackedRing(MappedBlock.share(role, directory.resolve("ring"), length), payloadLength, recordCount);
    }

    private static int recordLength(int payloadLength) {
        return (HEADER_LENGTH + payloadLength + 15) & -16;
    }

    @Override
    public void send(int messages) {
        long tail = position;
        int index = (int) (tail % capacity);
        for (int i = 0; i < messages; i++) {
            // Room for the record and one more header.
            if (tail + recordLength + HEADER_LENGTH - headSeen > capacity) {
                awaitRoom(tail + recordLength + HEADER_LENGTH - capacity);
            }
            final int next = index + recordLength == capacity ? 0 : index + recordLength;
            UnsafeApi.putLong(records + next, 0);
            for (int offset = 0; offset < payloadLength; offset += Long.BYTES) {
                UnsafeApi.putLong(records + index + HEADER_LENGTH + offset, tail);
            }
            UnsafeApi.putLongRelease(null, records + index, recordLength);
            index = next;
            tail += recordLength;
        }
        position = tail;
    }

    private void awaitRoom(long headNeeded) {
        do {
            headSeen = UnsafeApi.getLongAcquire(null, headAddress);
        } while (headSeen < headNeeded);
    }

    @Override
    public void receive(int messages) {
        long head = position;
        int index = (int) (head % capacity);
        long read = 0;
        for (int i = 0; i < messages; i++) {
            long length = UnsafeApi.getLongAcquire(null, records + index);
            if (length == 0) {
                length = awaitRecord(head, index);
            }
            read += Lines.read(records + index + HEADER_LENGTH, payloadLength);
            head += length;
            index = index + length == capacity ? 0 : (int) (index + length);
            if (head - headReturned >= capacity / QUARTERS) {
                giveBack(head);
            }
        }
        sum += read;
        position = head;
    }

    private long awaitRecord(long head, int index) {
        giveBack(head);
        long length;
        do {
            length = UnsafeApi.getLongAcquire(null, records + index);
        } while (length == 0);
        return length;
    }

    private void giveBack(long head) {
        if (head != headReturned) {
            headReturned = head;
            UnsafeApi.putLongRelease(null, headAddress, head);
        }
    }

    /** Returns the sum of what was read, so that the reads cannot be left out. */
    long sum() {
        return sum;
    }
}
