package org.segno.tools.demo.matrix;

import java.util.Arrays;

/**
 * A sparse matrix stored by rows: the entries of row {@code i} lie at {@code [rowStarts[i], rowStarts[i + 1])} of two arrays.
 *
 * <p>Immutable by agreement: the arrays are handed over at construction and nobody writes them afterwards.
 */
public final class CsrMatrix {
    private final int[] rowStarts;
    private final int[] columns;
    private final double[] values;

    /**
     * Takes the three arrays as they are, without a copy.
     *
     * @param rowStarts one more than there are rows, ascending from zero.
     * @param columns column of each entry.
     * @param values value of each entry.
     */
    public CsrMatrix(int[] rowStarts, int[] columns, double[] values) {
        this.rowStarts = rowStarts;
        this.columns = columns;
        this.values = values;
    }

    /** Rows held here. */
    public int rowCount() {
        return rowStarts.length - 1;
    }

    /** Entries held here. */
    public int nonzeroCount() {
        return rowStarts[rowCount()];
    }

    /** Index of the first entry of {@code row}; that of {@link #rowCount()} is one past the last entry of all. */
    public int rowStart(int row) {
        return rowStarts[row];
    }

    /** Column of an entry. */
    public int column(int entry) {
        return columns[entry];
    }

    /** Value of an entry. */
    public double value(int entry) {
        return values[entry];
    }

    /** Index of the entry at a row and a column, or below zero where nothing is stored; the columns of the row must ascend. */
    public int find(int row, int column) {
        return Arrays.binarySearch(columns, rowStarts[row], rowStarts[row + 1], column);
    }

    /** Index of the mirror image of an entry of {@code row}, or below zero where it is not stored. */
    public int findMirror(int row, int entry) {
        return find(columns[entry], /* column= */ row);
    }

    /** Writes the product with {@code x} into the first {@link #rowCount()} places of {@code y}. */
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

    /** The rows {@code [first, end)} as a matrix of their own, columns unchanged. */
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

    /** The same rows and values under other column numbers, which this matrix then owns. */
    CsrMatrix withColumns(int[] newColumns) {
        return new CsrMatrix(rowStarts, newColumns, values);
    }
}
