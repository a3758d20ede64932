package org.segno.tools.journal.command;

import java.util.zip.CRC32C;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.engine.descriptor.Operation;

/**
 * What one rank of a replay has sent to each rank, as the journal has it, and received from each. Messages are compared
 * by sums of their CRC32Cs. What was put is compared byte by byte before its place is used again, and by a CRC32C of
 * the whole part of a sender at the end. Used by one thread.
 */
final class ReplayTotals {
    /** Number of fields. */
    static final int FIELDS = 6;

    static final int PUT_BYTES = 0;

    /** CRC32C of the part of the sender in the receiver's window. */
    static final int PUT_SUM = 1;

    static final int MESSAGES = 2;
    static final int MESSAGE_BYTES = 3;

    /** Sum of the CRC32Cs of all messages, metadata and payload, which may arrive in any order. */
    static final int MESSAGE_SUM = 4;

    static final int COUNTED = 5;

    private final int rank;
    private final boolean isVerified;
    private final long[][] sent;
    private final long[][] received;

    /** Copy of what this rank has put into its part of the window of each rank. */
    private final UnsafeBuffer[] parts;

    /** True for each rank at which this rank has put something since its part there was compared. */
    private final boolean[] changed;

    private final CRC32C checksum = new CRC32C();
    private final ExpandableArrayBuffer message = new ExpandableArrayBuffer();

    /**
     * Creates the totals of a rank.
     *
     * @param partBytes length of its part at each rank
     */
    ReplayTotals(int rank, int size, int partBytes, boolean isVerified) {
        this.rank = rank;
        this.isVerified = isVerified;
        this.sent = new long[size][FIELDS];
        this.received = new long[size][FIELDS];
        this.parts = new UnsafeBuffer[isVerified ? size : 0];
        this.changed = new boolean[size];
        for (int at = 0; at < parts.length; at++) {
            parts[at] = new UnsafeBuffer(new byte[partBytes]);
        }
    }

    /** Adds an operation that was carried out once, with what the journal has of it. */
    void sent(RecordedOperation operation, RecordedContent content, ReplayPlace place) {
        final int size = sent.length;
        for (int target = 0; target < operation.targets(); target++) {
            final long[] to = sent[operation.rank(target, size)];
            final int bytes = (int) operation.bytes();
            switch (operation.code()) {
                case Operation.PUT -> {
                    to[PUT_BYTES] += bytes;
                    if (isVerified) {
                        final int part = operation.rank(target, size);
                        parts[part].putBytes((int) place.targetOffset(), ReplayPlace.payload(operation, content, rank));
                        changed[part] = true;
                    }
                }
                case Operation.SEND, Operation.MULTICAST ->
                    add(to, operation.metadataLength() + bytes, isVerified ? sum(operation, content, place) : 0);
                case Operation.COUNT -> to[COUNTED] += operation.amount();
                default -> {}
            }
        }
    }

    /** Adds a message of {@code length} bytes that was received from a rank. */
    void received(int rank, DirectBuffer buffer, int offset, int length) {
        long sum = 0;
        if (isVerified) {
            message.putBytes(0, buffer, offset, length);
            sum = sum(length);
        }
        add(received[rank], length, sum);
    }

    private static void add(long[] totals, int bytes, long sum) {
        totals[MESSAGES]++;
        totals[MESSAGE_BYTES] += bytes;
        totals[MESSAGE_SUM] += sum;
    }

    private long sum(RecordedOperation operation, RecordedContent content, ReplayPlace place) {
        final byte[] inline = operation.hasMetadataInMemory() ? new byte[0] : operation.inline();
        int length = inline.length;
        message.putBytes(0, inline);
        if (operation.hasMetadataInMemory()) {
            length = operation.metadataLength();
            message.checkLimit(length);
            final byte[] known = content.metadata();
            if (known != null && known.length == length) {
                message.putBytes(0, known);
            } else {
                place.source().getBytes(place.metadataOffset(operation), message, 0, length);
            }
        }
        if (!operation.isImmediate()) {
            final byte[] bytes = ReplayPlace.payload(operation, content, rank);
            message.putBytes(length, bytes);
            length += bytes.length;
        }
        return sum(length);
    }

    private long sum(int length) {
        checksum.reset();
        checksum.update(message.byteArray(), 0, length);
        return checksum.getValue();
    }

    /** Returns true if something was put at a rank since the last call. */
    boolean takeChanged(int at) {
        final boolean hasChanged = changed[at];
        changed[at] = false;
        return hasChanged;
    }

    /** Returns what this rank has put into its part at a rank. */
    DirectBuffer part(int at) {
        return parts[at];
    }

    /** Returns a total of what was sent to a rank. */
    long sent(int rank, int field) {
        return field == PUT_SUM ? sum(parts[rank], 0, parts[rank].capacity()) : sent[rank][field];
    }

    /** Returns a total of the messages that were received from a rank. */
    long received(int rank, int field) {
        return received[rank][field];
    }

    /** Returns the CRC32C of a part of a window. */
    long sum(DirectBuffer buffer, int offset, int length) {
        final byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        checksum.reset();
        checksum.update(bytes);
        return checksum.getValue();
    }
}
