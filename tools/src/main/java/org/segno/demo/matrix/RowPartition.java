package org.segno.demo.matrix;

import java.util.Arrays;

/** Partition of the rows of a matrix into one contiguous block for each rank, with nearly equal numbers of entries. */
public final class RowPartition {
    private final int[] starts;

    private RowPartition(int[] starts) {
        this.starts = starts;
    }

    /**
     * Creates a partition with balanced numbers of stored entries, because the product with the matrix takes most of
     * the time. Every rank gets at least one row.
     *
     * @throws IllegalArgumentException if there are more ranks than rows
     */
    public static RowPartition byNonzeros(MatrixSource source, int rankCount) {
        final int rowCount = source.rowCount();
        if (rankCount < 1 || rankCount > rowCount) {
            throw new IllegalArgumentException("every rank needs a row, use at most " + rowCount + " ranks for "
                    + source.name() + ": ranks=" + rankCount);
        }
        final int[] starts = new int[rankCount + 1];
        Arrays.fill(starts, 1, starts.length, rowCount);
        final long total = source.nonzeroCount();
        long before = 0;
        int rank = 1;
        for (int row = 0; rank < rankCount; row++) {
            // The product fits 63 bits: a matrix has fewer than 2^36 entries here, a job fewer than 2^27 ranks.
            while (rank < rankCount && before * rankCount >= total * rank) {
                starts[rank++] = row;
            }
            before += row < rowCount ? source.rowLength(row) : total;
        }
        for (rank = 1; rank < rankCount; rank++) {
            // A row heavier than a rank's share must not leave the next rank, or the last ones, without rows.
            starts[rank] = Math.min(Math.max(starts[rank], starts[rank - 1] + 1), rowCount - rankCount + rank);
        }
        return new RowPartition(starts);
    }

    /** Returns the number of blocks, one for each rank. */
    public int rankCount() {
        return starts.length - 1;
    }

    /** Returns the number of rows of the whole matrix. */
    public int rowCount() {
        return starts[rankCount()];
    }

    /** Returns the first row of a rank. */
    public int first(int rank) {
        return starts[rank];
    }

    /** Returns the index one past the last row of a rank. */
    public int end(int rank) {
        return starts[rank + 1];
    }

    /** Returns the rank that owns a row. */
    public int owner(int row) {
        final int found = Arrays.binarySearch(starts, row);
        return found >= 0 ? found : -found - 2;
    }
}
