package org.segno.bench.experiment;

import org.agrona.UnsafeApi;

/**
 * The barest exchange that two processes can have: one word in one line, which both store to in turn. It is the probe that
 * says how far apart the two cores are at this moment.
 *
 * <p>The spin is bare on purpose: the probe is a yardstick, so it stays what it was when others were measured by it. It is
 * not the fastest exchange, because the spinning core takes the line away from the one that is about to store to it.
 *
 * <pre>
 *  offset  length  field   written by
 *       0       8  number  origin when it is even, echo when it is odd, release
 *       8          LENGTH (nothing else may lie in the line)
 * </pre>
 */
public final class CacheLine implements Exchange {
    private final long address;
    private long number;

    /** Makes one end over a line of a shared block; the line starts with zeros. */
    public CacheLine(MappedBlock block, int offset) {
        this.address = block.address() + offset;
    }

    @Override
    public void ask(int roundTrips) {
        long next = number;
        for (int i = 0; i < roundTrips; i++) {
            UnsafeApi.putLongRelease(null, address, next + 1);
            next += 2;
            await(next);
        }
        number = next;
    }

    @Override
    public void answer(int roundTrips) {
        long next = number;
        for (int i = 0; i < roundTrips; i++) {
            await(next + 1);
            next += 2;
            UnsafeApi.putLongRelease(null, address, next);
        }
        number = next;
    }

    private void await(long expected) {
        while (UnsafeApi.getLongAcquire(null, address) != expected) {
            // Nothing, see above.
        }
    }
}
