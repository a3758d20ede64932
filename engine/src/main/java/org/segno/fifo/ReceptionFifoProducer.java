package org.segno.fifo;

import org.segno.memory.Memory;
import org.segno.memory.NodeMemory;
import org.segno.status.Status;

/**
 * The landing end of a reception lane: the one engine that writes to it holds this. One thread.
 *
 * <p>Claim room for a record, write its body, publish it. A lane without room answers {@link Status#BACK_PRESSURED}. A record is
 * at most a quarter of its lane, so that it fits as soon as the consumer has emptied the lane, pad included.
 */
public final class ReceptionFifoProducer {
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

    /** The lane of {@code target} into {@code context} that is {@code origin}'s to write. */
    public ReceptionFifoProducer(NodeMemory target, int context, int origin) {
        this.memory = target.peers();
        this.heads = target.owner();
        this.lane = target.laneOffset(context, origin);
        this.headOffset = target.laneHeadOffset(context, origin);
        this.capacity = target.layout().dimensions().laneBytes();
        this.mask = capacity - 1;
        this.maxBodyLength = LaneRecord.maxBodyLength(capacity);
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
            return Status.BACK_PRESSURED;
        }
        if (padded != 0) {
            // The header at index 0 is zeroed before the pad leads the consumer to it.
            memory.putLong(lane, 0);
            memory.putLongRelease(lane + index, LaneRecord.header(toEnd, 0, 0, LaneRecord.PAD));
            tail += padded;
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

    /** Publishes the record claimed last as a message. */
    public void publish(int dispatchId, int metadataLength) {
        publish(LaneRecord.header(claimedLength, dispatchId, metadataLength, LaneRecord.MESSAGE));
    }

    /** Publishes an event: counter {@code id} was hit. Needs room for an empty record, which {@link #claim} of 0 makes sure of. */
    public void publishEvent(int id) {
        publish(LaneRecord.header(LaneRecord.HEADER_LENGTH, id, 0, LaneRecord.EVENT));
    }

    private void publish(long header) {
        final int aligned = LaneRecord.alignedLength(LaneRecord.length(header));
        final int index = (int) tail & mask;
        memory.putLong(lane + ((index + aligned) & mask), 0);
        memory.putLongRelease(lane + index, header);
        tail += aligned;
    }
}
