package org.segno.bench.experiment;

import org.agrona.UnsafeApi;

/**
 * The shortest exchange that two processes can have: each bumps a sequence number in a line of its own and waits for the
 * other's. It is the limit for one message, and the probe that says how far apart the two cores are at this moment.
 *
 * <pre>
 *  offset  length  field            written by
 *       0       8  origin sequence  origin, release
 *     256       8  echo sequence    echo, release
 *     512          LENGTH
 * </pre>
 */
public final class CacheLine implements Exchange {
    /** Bytes that the exchange needs. Lines lie far enough apart that no prefetcher takes them for one. */
    public static final int LENGTH = 512;

    private static final int ECHO_OFFSET = 256;

    private final long mine;
    private final long theirs;
    private long sequence;

    /** Makes one end over a shared block; both blocks start with equal sequence numbers. */
    public CacheLine(Role role, MappedBlock block, int offset) {
        final long origin = block.address() + offset;
        this.mine = role == Role.ORIGIN ? origin : origin + ECHO_OFFSET;
        this.theirs = role == Role.ORIGIN ? origin + ECHO_OFFSET : origin;
    }

    @Override
    public void ask(int roundTrips) {
        long next = sequence;
        for (int i = 0; i < roundTrips; i++) {
            next++;
            UnsafeApi.putLongRelease(null, mine, next);
            awaitTheirs(next);
        }
        sequence = next;
    }

    @Override
    public void answer(int roundTrips) {
        long next = sequence;
        for (int i = 0; i < roundTrips; i++) {
            next++;
            awaitTheirs(next);
            UnsafeApi.putLongRelease(null, mine, next);
        }
        sequence = next;
    }

    /** No pause in the loop: one costs 27 ns here, half of what is measured. */
    private void awaitTheirs(long next) {
        while (UnsafeApi.getLongAcquire(null, theirs) != next) {
            // Nothing: a pause costs 27 ns.
        }
    }
}
