package org.segno.tools.demo.matrix;

import java.util.Arrays;

/** Cuts the rows of a matrix into one contiguous block for each rank, with nearly equally many entries. */
public final class RowPartition {
    private final int[] starts;

    private RowPartition(int[] starts) {
        this.starts = starts;
    }

    /**
     * Balances the stored entries, for the product with the matrix is where the time goes; every rank gets at least one row.
     *
     * @throws IllegalArgumentException when there are more ranks than rows.
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
            // Fits 63 bits: a matrix has fewer than 2^36 entries here, a job fewer than 2^27 ranks.
            while (rank < rankCount && before * rankCount >= total * rank) {
                starts[rank++] = row;
            }
            before += row < rowCount ? source.rowLength(row) : total;
        }
        for (rank = 1; rank < rankCount; rank++) {
            // A row heavier than a rank's share must not leave the next rank, or the last ones, without any.
            starts[rank] = Math.min(Math.max(starts[rank], starts[rank - 1] + 1), rowCount - rankCount + rank);
        }
        return new RowPartition(starts);
    }

    /** Blocks, one for each rank. */
    public int rankCount() {
        return starts.length - 1;
    }

    /** Rows of the whole matrix. */
    public int rowCount() {
        return starts[rankCount()];
    }

    /** First row of a rank. */
    public int first(int rank) {
        return starts[rank];
    }

    /** One past the last row of a rank. */
    public int end(int rank) {
        return starts[rank + 1];
    }

    /** The rank that owns a row. */
    public int owner(int row) {
        final int found = Arrays.binarySearch(starts, row);
        return found >= 0 ? found : -found - 2;
    }
}
