package org.segno.bench.experiment;

import org.agrona.UnsafeApi;

/**
 * Minimal exchange of two processes: one word in one cache line, to which both store in turn. It is the probe of the
 * current distance between the two cores.
 *
 * <p>The spin has no pause on purpose. The probe is a reference, so it must stay comparable with earlier measurements.
 * It is not the fastest exchange, because the spinning core takes the line away from the core that is about to store to
 * it.
 *
 * <pre>
 *  offset  length  field   written by
 *       0       8  number  origin when it is even, echo when it is odd, release
 *       8          LENGTH (nothing else may be in the line)
 * </pre>
 */
public final class CacheLine implements Exchange {
    private final long address;
    private long number;

    /** Creates one end over a line of a shared block. The line starts with zeros. */
    public CacheLine(MappedBlock block, int offset) {
        this.address = block.address() + offset;
    }

    @Override
    public void request(int roundTrips) {
        long next = number;
        for (int i = 0; i < roundTrips; i++) {
            UnsafeApi.putLongRelease(null, address, next + 1);
            next += 2;
            await(next);
        }
        number = next;
    }

    @Override
    public void reply(int roundTrips) {
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
            // No pause, see the class's Javadoc.
        }
    }
}
