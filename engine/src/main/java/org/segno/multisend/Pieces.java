package org.segno.multisend;

import java.util.Arrays;
import org.segno.memory.MemoryAccess;
import org.segno.memory.Window;

/**
 * Pieces that one rank sends or receives in a many-to-many exchange, each with its rank, its offset and its length. The
 * first piece that a rank sends to another lands in the first one that the other receives from it, and so on. Created
 * once, at start.
 */
public final class Pieces {
    private int[] ranks = new int[16];
    private long[] offsets = new long[16];
    private long[] lengths = new long[16];
    private int count;

    /**
     * Adds a piece.
     *
     * @param rank receiver or sender of the piece
     * @param offset bytes from the start of the source window, or from the start of either landing location
     * @param length bytes
     */
    public Pieces add(int rank, long offset, long length) {
        if (rank < 0 || offset < 0 || length < 0) {
            throw new IllegalArgumentException("a piece's rank, offset and length must not be negative: rank=" + rank
                    + " offset=" + offset + " length=" + length);
        }
        if (count == ranks.length) {
            ranks = Arrays.copyOf(ranks, 2 * count);
            offsets = Arrays.copyOf(offsets, 2 * count);
            lengths = Arrays.copyOf(lengths, 2 * count);
        }
        ranks[count] = rank;
        offsets[count] = offset;
        lengths[count] = length;
        count++;
        return this;
    }

    /** Returns the number of pieces. */
    public int count() {
        return count;
    }

    /** Returns the total number of bytes. */
    public long bytes() {
        return Arrays.stream(lengths, 0, count).sum();
    }

    /** Returns the number of pieces of no bytes. */
    long empty() {
        return Arrays.stream(lengths, 0, count).filter(length -> length == 0).count();
    }

    long offset(int piece) {
        return offsets[piece];
    }

    long length(int piece) {
        return lengths[piece];
    }

    /** Returns the indexes of the pieces of a rank, in order. */
    int[] of(int rank) {
        final int[] found = new int[count];
        int size = 0;
        for (int i = 0; i < count; i++) {
            if (ranks[i] == rank) {
                found[size++] = i;
            }
        }
        return Arrays.copyOf(found, size);
    }

    /** Returns the distinct ranks of the pieces, ascending. */
    int[] named() {
        return Arrays.stream(ranks, 0, count).sorted().distinct().toArray();
    }

    /** Checks that all ranks exist in a job of {@code size}. {@code what} describes the direction, for the message. */
    void requireRanks(String what, int size) {
        final int[] named = named();
        if (named.length != 0 && named[named.length - 1] >= size) {
            throw new IllegalArgumentException(
                    "pieces must " + what + " ranks 0 to " + (size - 1) + ": ranks=" + Arrays.toString(named));
        }
    }

    /** Checks that all pieces lie in the window from which they are sent. */
    void requireWithin(Window source) {
        for (int i = 0; i < count; i++) {
            MemoryAccess.requireRange(source, "sent piece " + i, offsets[i], lengths[i]);
        }
    }

    /** Checks that all pieces fit in landing locations of {@code length} bytes. */
    void requireWithin(long length) {
        for (int i = 0; i < count; i++) {
            if (offsets[i] > length - lengths[i]) {
                throw new IllegalArgumentException("received piece " + i + " ends at " + (offsets[i] + lengths[i])
                        + ", beyond the landing location of " + length + " bytes");
            }
        }
    }

    /** Checks that a piece is received from every receiver of these pieces. */
    void requireReceivedFrom(Pieces received) {
        for (final int rank : named()) {
            if (received.of(rank).length == 0) {
                throw new IllegalArgumentException("rank " + rank + " receives a piece but sends none, so this rank"
                        + " could overtake it; receive a piece of no bytes from it");
            }
        }
    }

    /**
     * Returns the indexes of all pieces in order of sending: first those of the next rank, last those of {@code self}.
     * The ranks thus do not all send to the same rank at once.
     */
    int[] inTurn(int self, int size) {
        final int[] order = new int[count];
        int next = 0;
        for (int step = 1; step <= size; step++) {
            for (final int piece : of((self + step) % size)) {
                order[next++] = piece;
            }
        }
        return order;
    }
}
