package org.segno.bench.limit;

import org.agrona.UnsafeApi;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Spin;

/**
 * Memory that the peer may write: counters that complete at or below zero, 128 bytes apart, and a window.
 *
 * <pre>
 *  offset  length  field     written by
 *       0    8x16  counters  sender: atomic add after the payload; owner: atomic add of expected bytes
 *    4096       *  window    sender, plain, before its counter
 * </pre>
 */
final class BareTarget {
    /** Number of counters of one target, a power of two. */
    static final int COUNTERS = 16;

    private static final int COUNTER_LENGTH = 128;
    private static final int WINDOW_OFFSET = 4096;

    private final long counters;
    private final long window;
    private final long length;

    BareTarget(MappedBlock block, long length) {
        this.counters = block.address();
        this.window = counters + WINDOW_OFFSET;
        this.length = length;
    }

    /** Returns the bytes that a block with such a window needs. */
    static int blockLength(int windowLength) {
        return WINDOW_OFFSET + windowLength;
    }

    long address() {
        return window;
    }

    long length() {
        return length;
    }

    /**
     * Subtracts landed bytes. Called by the sender. Atomic, because several senders may land at once and the owner adds
     * expected bytes.
     */
    void landed(int counter, long bytes) {
        UnsafeApi.getAndAddLong(null, counters + (long) counter * COUNTER_LENGTH, -bytes);
    }

    /** Adds expected bytes. Called by the owner. */
    void expect(int counter, long bytes) {
        UnsafeApi.getAndAddLong(null, counters + (long) counter * COUNTER_LENGTH, bytes);
    }

    /** Waits until all expected bytes have landed. Called by the owner. */
    void await(int counter) {
        final long address = counters + (long) counter * COUNTER_LENGTH;
        int spins = 0;
        while (UnsafeApi.getLongAcquire(null, address) > 0) {
            spins = Spin.pause(spins);
        }
    }
}
