package org.segno.bench.limit;

import org.agrona.UnsafeApi;
import org.segno.bench.experiment.Exchange;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Role;
import org.segno.bench.experiment.Spin;

/**
 * Minimal cost of a message of some bytes: copy it to the receiver's memory, store a flag before it, read it there.
 *
 * <p>There is one slot in each direction, which is reused; the flag is the first word of the payload's first line. Like
 * every receiver of this module it reads one word of each line of the payload: a message counts as received when it has
 * been read, not when it has been announced.
 */
final class CopyAndFlag implements Exchange {
    /** Offset of the payload in a slot. */
    static final int PAYLOAD_OFFSET = 8;

    private final int size;
    private final long source;
    private final long mine;
    private final long theirs;
    private long sequence;
    private long sum;

    CopyAndFlag(Role role, MappedBlock block, MappedBlock own, int size) {
        this.size = size;
        this.source = own.address();
        final int slot = slotLength(size);
        this.mine = block.address() + (role == Role.ORIGIN ? 0 : slot);
        this.theirs = block.address() + (role == Role.ORIGIN ? slot : 0);
    }

    /** Returns the bytes of one slot: whole pages, so that the two never share a line. */
    static int slotLength(int size) {
        return (size + PAYLOAD_OFFSET + 4095) & -4096;
    }

    @Override
    public void request(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            send(++sequence);
            receive(sequence);
        }
    }

    @Override
    public void reply(int roundTrips) {
        for (int i = 0; i < roundTrips; i++) {
            receive(++sequence);
            send(sequence);
        }
    }

    private void send(long flag) {
        if (size == Long.BYTES) {
            UnsafeApi.putLong(mine + PAYLOAD_OFFSET, flag);
        } else {
            UnsafeApi.copyMemory(source, mine + PAYLOAD_OFFSET, size);
        }
        UnsafeApi.putLongRelease(null, mine, flag);
    }

    private void receive(long flag) {
        int spins = 0;
        while (UnsafeApi.getLongAcquire(null, theirs) != flag) {
            spins = Spin.pause(spins);
        }
        sum += CacheLineReads.read(theirs + PAYLOAD_OFFSET, size);
    }

    /** Returns the sum of the read words, so that the JIT cannot eliminate the reads. */
    long sum() {
        return sum;
    }
}
