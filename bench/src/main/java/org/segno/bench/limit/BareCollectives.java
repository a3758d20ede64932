package org.segno.bench.limit;

import java.io.IOException;
import java.nio.file.Path;
import org.agrona.UnsafeApi;
import org.segno.bench.experiment.MappedBlock;
import org.segno.bench.experiment.Spin;

/**
 * Collectives of a few ranks by bare loops over a mapped file for each rank. A rank has a line that only it writes and
 * all others read: the rounds that it has entered and left. It knows no windows, checks, counters or algorithms. Used
 * by one thread.
 *
 * <p>As in the measured collectives, nothing is overwritten that somebody may still read, and a call returns when its
 * results are there and its sources are free.
 *
 * <pre>
 *  offset  length  field    contents                                                             written by
 *       0       8  entered  last round that this rank has entered; 8 bytes of a broadcast        this rank
 *     128       8  left     last round of which it has read all                                  this rank
 *    4096  2x64x*  slots    two sets of a line for each rank: a call and 8 bytes                 the other rank
 *       *      *   source   a block for each rank                                                this rank
 *       *      *   target   a block of each rank                                                 the other ranks
 * </pre>
 */
public final class BareCollectives {
    private static final int LINE_LENGTH = 64;
    private static final int LEFT_OFFSET = 128;
    private static final int SLOTS_OFFSET = 4096;

    /** Length of a piece of a long sum, as of a block of COMBINE. */
    private static final int PIECE = 2048;

    private static final int PIECE_VALUES = PIECE / Double.BYTES;
    private static final int ARRAY_BASE = UnsafeApi.arrayBaseOffset(double[].class);

    /** The first value that lies at a multiple of a line from the begin of an array, so that the loop is vectorized. */
    private static final int FIRST = (-ARRAY_BASE & (LINE_LENGTH - 1)) / Double.BYTES;

    private final int self;
    private final int size;
    private final boolean yields;
    private final long blockLength;
    private final long[] ranks;
    private final double[] sums = new double[FIRST + PIECE_VALUES];
    private long round;

    /** Number of calls that have used slots. Each uses the other set than the last one, whatever lies between them. */
    private long slotCalls;

    private BareCollectives(int self, long[] ranks, boolean yields, long blockLength) {
        this.self = self;
        this.size = ranks.length;
        this.yields = yields;
        this.blockLength = blockLength;
        this.ranks = ranks;
    }

    /**
     * Opens one rank, which makes its file and waits for those of the others.
     *
     * @param yields true if ranks share a core
     * @param blockLength length of the longest block
     */
    public static BareCollectives open(Path directory, int self, int size, boolean yields, int blockLength)
            throws IOException {
        final long[] ranks = new long[size];
        final int length = slotsEnd(size) + 2 * size * blockLength;
        ranks[self] =
                MappedBlock.make(directory.resolve("rank-" + self), length).address();
        for (int rank = 0; rank < size; rank++) {
            if (rank != self) {
                ranks[rank] =
                        MappedBlock.await(directory.resolve("rank-" + rank)).address();
            }
        }
        return new BareCollectives(self, ranks, yields, blockLength);
    }

    private static int slotsEnd(int size) {
        return SLOTS_OFFSET + 2 * size * LINE_LENGTH;
    }

    /** Returns the address of the block for a rank among the sources of this one. */
    public long source(int rank) {
        return ranks[self] + slotsEnd(size) + rank * blockLength;
    }

    /** Returns the address of the block of a rank among the targets of this one. */
    public long target(int rank) {
        return target(self, rank);
    }

    private long target(int owner, int from) {
        return ranks[owner] + slotsEnd(size) + (size + from) * blockLength;
    }

    private long slot(int owner, int from) {
        return ranks[owner] + SLOTS_OFFSET + ((slotCalls & 1) * size + from) * LINE_LENGTH;
    }

    /** Waits until all have entered. */
    public void barrier() {
        enter(0);
        awaitAll(0);
    }

    private void enter(long word) {
        round++;
        UnsafeApi.putLong(ranks[self] + Long.BYTES, word);
        UnsafeApi.putLongRelease(null, ranks[self], round);
    }

    private void leave() {
        UnsafeApi.putLongRelease(null, ranks[self] + LEFT_OFFSET, round);
    }

    private void awaitAll(long offset) {
        for (int rank = 0; rank < size; rank++) {
            if (rank != self) {
                await(ranks[rank] + offset, round);
            }
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // Yielding to the scheduler is intended.
    private void await(long address, long least) {
        int polls = 0;
        while (UnsafeApi.getLongAcquire(null, address) < least) {
            if (yields) {
                Thread.yield();
            } else {
                polls = Spin.pause(polls);
            }
        }
    }

    /** Copies the block of rank 0 for itself to the block of rank 0 at each other one. */
    public void broadcast(int bytes) {
        if (self == 0) {
            enter(UnsafeApi.getLong(source(0)));
            awaitAll(LEFT_OFFSET);
            return;
        }
        round++;
        await(ranks[0], round);
        if (bytes == Long.BYTES) {
            UnsafeApi.putLong(target(0), UnsafeApi.getLong(ranks[0] + Long.BYTES));
        } else {
            UnsafeApi.copyMemory(ranks[0] + slotsEnd(size), target(0), bytes);
        }
        leave();
    }

    /** Returns the sum of one value of each rank, in the order of the ranks. */
    public double sum(double value) {
        slotCalls++;
        for (int rank = 0; rank < size; rank++) {
            final long slot = slot(rank, self);
            UnsafeApi.putDouble(slot + Long.BYTES, value);
            UnsafeApi.putLongRelease(null, slot, slotCalls);
        }
        double sum = 0;
        for (int rank = 0; rank < size; rank++) {
            final long slot = slot(self, rank);
            await(slot, slotCalls);
            sum += UnsafeApi.getDouble(slot + Long.BYTES);
        }
        return sum;
    }

    /**
     * Adds the blocks of all for rank 0, in the order of the ranks, into the block of rank 0 at each. Each rank adds a
     * part of the values, which it reads where they lie, and copies the sums to all.
     */
    public void allreduce(int bytes) {
        enter(0);
        awaitAll(0);
        final int part = bytes / size & -LINE_LENGTH;
        final int end = self == size - 1 ? bytes : (self + 1) * part;
        for (int at = self * part; at < end; at += PIECE) {
            reduce(at, Math.min(PIECE, end - at));
        }
        leave();
        awaitAll(LEFT_OFFSET);
    }

    private void reduce(int at, int bytes) {
        final long result = target(0) + at;
        long left = contribution(0) + at;
        for (int rank = 1; rank < size; rank++) {
            add(sums, left, contribution(rank) + at, bytes / Double.BYTES);
            UnsafeApi.copyMemory(sums, ARRAY_BASE + FIRST * Double.BYTES, null, result, bytes);
            left = result;
        }
        for (int distance = 1; distance < size; distance++) {
            UnsafeApi.copyMemory(left, target((self + distance) % size, 0) + at, bytes);
        }
    }

    private long contribution(int rank) {
        return ranks[rank] + slotsEnd(size);
    }

    private static void add(double[] sums, long left, long right, int count) {
        for (int i = 0; i < Math.min(count, PIECE_VALUES); i++) {
            final long offset = (long) i * Double.BYTES;
            sums[FIRST + i] = UnsafeApi.getDouble(left + offset) + UnsafeApi.getDouble(right + offset);
        }
    }

    /** Copies the block for each rank to the block of this one there. */
    public void allToAll(int bytes) {
        if (bytes == Long.BYTES) {
            exchangeWords();
            return;
        }
        enter(0);
        UnsafeApi.copyMemory(source(self), target(self), bytes);
        for (int distance = 1; distance < size; distance++) {
            final int rank = (self + distance) % size;
            await(ranks[rank], round);
            UnsafeApi.copyMemory(source(rank), target(rank, self), bytes);
        }
        leave();
        awaitAll(LEFT_OFFSET);
    }

    private void exchangeWords() {
        slotCalls++;
        for (int rank = 0; rank < size; rank++) {
            final long slot = slot(rank, self);
            UnsafeApi.putLong(slot + Long.BYTES, UnsafeApi.getLong(source(rank)));
            UnsafeApi.putLongRelease(null, slot, slotCalls);
        }
        for (int rank = 0; rank < size; rank++) {
            final long slot = slot(self, rank);
            await(slot, slotCalls);
            UnsafeApi.putLong(target(rank), UnsafeApi.getLong(slot + Long.BYTES));
        }
    }
}
