package org.segno.multisend;

import java.util.Arrays;
import org.segno.memory.Window;

/**
 * What one rank sends and receives in a many-to-many exchange: pieces, each with its rank, its place and its length. The first piece that a
 * rank sends to another lands in the first one that the other receives from it, and so on. Made once, at start.
 */
public final class Pieces {
    private int[] ranks = new int[16];
    private long[] offsets = new long[16];
    private long[] lengths = new long[16];
    private int count;

    /**
     * One more piece.
     *
     * @param rank whom it goes to, or comes from
     * @param offset where it lies: in the source window, or from the beginning of either landing place
     * @param length bytes
     */
    public Pieces add(int rank, long offset, long length) {
        if (rank < 0 || offset < 0 || length < 0) {
            throw new IllegalArgumentException("a piece's rank, offset and length are not negative: rank=" + rank
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

    /** How many there are. */
    public int count() {
        return count;
    }

    /** Bytes of all together. */
    public long bytes() {
        return Arrays.stream(lengths, 0, count).sum();
    }

    /** Pieces of no bytes. */
    long empty() {
        return Arrays.stream(lengths, 0, count).filter(length -> length == 0).count();
    }

    long offset(int piece) {
        return offsets[piece];
    }

    long length(int piece) {
        return lengths[piece];
    }

    /** Positions of the pieces of a rank, in order. */
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

    /** The ranks named, each once, ascending. */
    int[] named() {
        return Arrays.stream(ranks, 0, count).sorted().distinct().toArray();
    }

    /** Checks that the ranks named are those of a job of {@code size}; {@code what} the pieces do, for the message. */
    void requireRanks(String what, int size) {
        final int[] named = named();
        if (named.length != 0 && named[named.length - 1] >= size) {
            throw new IllegalArgumentException(
                    "pieces " + what + " ranks 0 to " + (size - 1) + ": ranks=" + Arrays.toString(named));
        }
    }

    /** Checks that they lie in the window that they are sent from. */
    void requireWithin(Window source) {
        for (int i = 0; i < count; i++) {
            source.requireRange("piece " + i + " that is sent", offsets[i], lengths[i]);
        }
    }

    /** Checks that they fit into landing places of so many bytes. */
    void requireWithin(long length) {
        for (int i = 0; i < count; i++) {
            if (offsets[i] > length - lengths[i]) {
                throw new IllegalArgumentException("piece " + i + " that is received ends at "
                        + (offsets[i] + lengths[i]) + ", the landing place has " + length + " bytes");
            }
        }
    }

    /** Checks that something is received from all whom these go to. */
    void requireHeardFrom(Pieces received) {
        for (final int rank : named()) {
            if (received.of(rank).length == 0) {
                throw new IllegalArgumentException("rank " + rank + " is sent to and not heard from: nothing would"
                        + " hold this rank back when that one is slow; receive a piece of no bytes from it");
            }
        }
    }

    /** Positions of all pieces, those of the next rank first and those of {@code self} last, so that not all send to one at once. */
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
