package org.segno.demo.matrix;

import java.util.Arrays;

/**
 * Sparse matrix stored by rows: the entries of row {@code i} are at {@code [rowStarts[i], rowStarts[i + 1])} of two
 * arrays.
 *
 * <p>Immutable by convention: the constructor takes the arrays over, and no code writes them afterwards.
 */
public final class CsrMatrix {
    private final int[] rowStarts;
    private final int[] columns;
    private final double[] values;

    /**
     * Creates a matrix from the three arrays, without a copy.
     *
     * @param rowStarts one element more than there are rows, ascending from zero
     * @param columns column of each entry
     * @param values value of each entry
     */
    public CsrMatrix(int[] rowStarts, int[] columns, double[] values) {
        this.rowStarts = rowStarts;
        this.columns = columns;
        this.values = values;
    }

    /** Returns the number of stored rows. */
    public int rowCount() {
        return rowStarts.length - 1;
    }

    /** Returns the number of stored entries. */
    public int nonzeroCount() {
        return rowStarts[rowCount()];
    }

    /**
     * Returns the index of the first entry of {@code row}. For {@link #rowCount()} it is one past the last entry of
     * all.
     */
    public int rowStart(int row) {
        return rowStarts[row];
    }

    /** Returns the column of an entry. */
    public int column(int entry) {
        return columns[entry];
    }

    /** Returns the value of an entry. */
    public double value(int entry) {
        return values[entry];
    }

    /**
     * Returns the index of the entry at a row and a column, or a negative value if none is stored. The columns of the
     * row must ascend.
     */
    public int find(int row, int column) {
        return Arrays.binarySearch(columns, rowStarts[row], rowStarts[row + 1], column);
    }

    /** Returns the index of the mirror image of an entry of {@code row}, or a negative value if it is not stored. */
    public int findMirror(int row, int entry) {
        return find(columns[entry], /* column= */ row);
    }

    /** Writes the product with {@code x} into the first {@link #rowCount()} elements of {@code y}. */
    public void multiply(double[] x, double[] y) {
        final int rowCount = rowCount();
        int entry = 0;
        for (int row = 0; row < rowCount; row++) {
            final int end = rowStarts[row + 1];
            double sum = 0;
            for (; entry < end; entry++) {
                sum += values[entry] * x[columns[entry]];
            }
            y[row] = sum;
        }
    }

    /** Returns the rows {@code [first, end)} as a separate matrix, columns unchanged. */
    public CsrMatrix slice(int first, int end) {
        final int[] starts = new int[end - first + 1];
        for (int row = 0; row < starts.length; row++) {
            starts[row] = rowStarts[first + row] - rowStarts[first];
        }
        return new CsrMatrix(
                starts,
                Arrays.copyOfRange(columns, rowStarts[first], rowStarts[end]),
                Arrays.copyOfRange(values, rowStarts[first], rowStarts[end]));
    }

    /** Returns the same rows and values with other column numbers, which the new matrix then owns. */
    CsrMatrix withColumns(int[] newColumns) {
        return new CsrMatrix(rowStarts, newColumns, values);
    }
}
