package org.segno.demo.matrix;

import java.util.Arrays;

/**
 * Entries of a matrix file in the order of the file.
 *
 * <p>The arrays grow with the entries actually read and not with the announced number, so that a damaged size line
 * costs no memory. The line of each entry is kept for messages about contradictory entries.
 */
final class MatrixEntries {
    private static final int START_CAPACITY = 1_024;

    private int[] rows = new int[START_CAPACITY];
    private int[] columns = new int[START_CAPACITY];
    private int[] lines = new int[START_CAPACITY];
    private double[] values = new double[START_CAPACITY];
    private int count;
    private int diagonalCount;

    void add(int row, int column, double value, int line) {
        if (count == rows.length) {
            grow();
        }
        rows[count] = row;
        columns[count] = column;
        values[count] = value;
        lines[count] = line;
        count++;
        diagonalCount += row == column ? 1 : 0;
    }

    int count() {
        return count;
    }

    /** Returns the number of entries including the mirror image of each entry off the diagonal. */
    long mirroredCount() {
        return 2L * count - diagonalCount;
    }

    int line(int entry) {
        return lines[entry];
    }

    /** Returns the row, counted from zero. */
    int row(int entry) {
        return rows[entry];
    }

    /** Returns the column, counted from zero. */
    int column(int entry) {
        return columns[entry];
    }

    double value(int entry) {
        return values[entry];
    }

    private void grow() {
        final int capacity = Math.toIntExact(Math.min(2L * rows.length, Integer.MAX_VALUE - 8));
        rows = Arrays.copyOf(rows, capacity);
        columns = Arrays.copyOf(columns, capacity);
        lines = Arrays.copyOf(lines, capacity);
        values = Arrays.copyOf(values, capacity);
    }
}
