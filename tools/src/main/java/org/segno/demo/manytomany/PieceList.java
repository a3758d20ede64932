package org.segno.demo.manytomany;

import java.util.stream.IntStream;
import org.agrona.collections.IntArrayList;
import org.agrona.collections.LongArrayList;
import org.segno.multisend.Pieces;

/**
 * Pieces that a rank sends or receives, each with its rank, its offset and its length. The first piece that a rank
 * sends to another lands in the first one that the other receives from it, and so on. Used by one thread.
 */
public final class PieceList {
    private final IntArrayList ranks = new IntArrayList();
    private final LongArrayList offsets = new LongArrayList();
    private final LongArrayList lengths = new LongArrayList();

    /** Creates an empty list. */
    public PieceList() {}

    /** Adds a piece to or from {@code rank}, in bytes. */
    public PieceList add(int rank, long offset, long length) {
        ranks.addInt(rank);
        offsets.addLong(offset);
        lengths.addLong(length);
        return this;
    }

    /** Returns the number of pieces. */
    public int count() {
        return ranks.size();
    }

    /** Returns the total number of bytes. */
    public long bytes() {
        return lengths.stream().mapToLong(Long::longValue).sum();
    }

    /** Returns the rank of a piece. */
    public int rank(int piece) {
        return ranks.getInt(piece);
    }

    /** Returns the offset of a piece in bytes. */
    public long offset(int piece) {
        return offsets.getLong(piece);
    }

    /** Returns the length of a piece in bytes. */
    public long length(int piece) {
        return lengths.getLong(piece);
    }

    /** Returns the indexes of the pieces of a rank, in order. */
    public int[] of(int rank) {
        return IntStream.range(0, count()).filter(piece -> rank(piece) == rank).toArray();
    }

    /**
     * Returns the indexes of all pieces in the order in which {@code self} sends them, as a many-to-many exchange does:
     * first those of the next rank, last its own.
     */
    public int[] sendOrder(int self, int size) {
        return IntStream.rangeClosed(1, size)
                .flatMap(step -> IntStream.of(of((self + step) % size)))
                .toArray();
    }

    /** Returns the arguments of a many-to-many exchange. */
    Pieces toPieces() {
        final Pieces pieces = new Pieces();
        for (int piece = 0; piece < count(); piece++) {
            pieces.add(rank(piece), offset(piece), length(piece));
        }
        return pieces;
    }
}
