package org.segno.tools.demo.matrix;

import java.nio.file.Path;
import java.util.function.IntUnaryOperator;

/**
 * The entries of a matrix by row and, within a row, by column; in a symmetric matrix with their mirror images.
 *
 * <p>Sorted in two passes of counting, by column first, since the second pass keeps that order.
 */
final class SortedEntries {
    private final MatrixEntries entries;
    private final int[] rowStarts;

    /** Indices of entries; a mirror image is the complement of its entry's index. */
    private final int[] order;

    private SortedEntries(MatrixEntries entries, int[] rowStarts, int[] order) {
        this.entries = entries;
        this.rowStarts = rowStarts;
        this.order = order;
    }

    /**
     * Sorts what was read.
     *
     * @param rowCount rows and columns of the matrix.
     * @param symmetric whether each entry off the diagonal stands for its mirror image too.
     */
    static SortedEntries of(MatrixEntries entries, int rowCount, boolean symmetric) {
        final int[] order = new int[symmetric ? Math.toIntExact(entries.mirroredCount()) : entries.count()];
        int next = 0;
        for (int entry = 0; entry < entries.count(); entry++) {
            order[next++] = entry;
            if (symmetric && entries.row(entry) != entries.column(entry)) {
                order[next++] = ~entry;
            }
        }
        final int[] byColumn = new int[order.length];
        sort(order, byColumn, entry -> column(entries, entry), rowCount);
        final int[] rowStarts = sort(byColumn, order, entry -> column(entries, ~entry), rowCount);
        return new SortedEntries(entries, rowStarts, order);
    }

    /** Refuses an entry that stands in the file twice, naming both lines. */
    void checkEachOnce(Path file) throws MatrixFormatException {
        for (int row = 0; row < rowStarts.length - 1; row++) {
            for (int i = rowStarts[row] + 1; i < rowStarts[row + 1]; i++) {
                if (column(entries, order[i]) == column(entries, order[i - 1])) {
                    throw twice(file, index(order[i - 1]), index(order[i]));
                }
            }
        }
    }

    /** Line of the file that holds an entry of {@link #matrix}, or its mirror image. */
    int line(int entry) {
        return entries.line(index(order[entry]));
    }

    CsrMatrix matrix() {
        final int[] columns = new int[order.length];
        final double[] values = new double[order.length];
        for (int i = 0; i < order.length; i++) {
            columns[i] = column(entries, order[i]);
            values[i] = entries.value(index(order[i]));
        }
        return new CsrMatrix(rowStarts, columns, values);
    }

    private MatrixFormatException twice(Path file, int entry, int otherEntry) {
        final int first = Math.min(entry, otherEntry);
        final int again = Math.max(entry, otherEntry);
        return new MatrixFormatException(
                file,
                entries.line(again),
                "expected each entry once, found row " + (entries.row(again) + 1) + ", column "
                        + (entries.column(again) + 1) + " again, first on line " + entries.line(first));
    }

    private static int index(int entry) {
        return entry < 0 ? ~entry : entry;
    }

    /** Column of an entry or a mirror image; the column of the complement is the row. */
    private static int column(MatrixEntries entries, int entry) {
        return entry < 0 ? entries.row(~entry) : entries.column(entry);
    }

    private static int[] sort(int[] from, int[] to, IntUnaryOperator key, int keyCount) {
        final int[] starts = new int[keyCount + 1];
        for (final int entry : from) {
            starts[key.applyAsInt(entry) + 1]++;
        }
        for (int i = 0; i < keyCount; i++) {
            starts[i + 1] += starts[i];
        }
        final int[] next = starts.clone();
        for (final int entry : from) {
            to[next[key.applyAsInt(entry)]++] = entry;
        }
        return starts;
    }
}
