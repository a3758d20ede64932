package org.segno.demo.matrix;

import java.nio.file.Path;
import java.util.function.IntUnaryOperator;

/**
 * Entries of a matrix by row and, within a row, by column; in a symmetric matrix with their mirror images.
 *
 * <p>They are sorted in two counting passes, by column first, because the second pass keeps that order.
 */
final class SortedEntries {
    private final MatrixEntries entries;
    private final int[] rowStarts;

    /** Indices of entries. A mirror image is the complement of its entry's index. */
    private final int[] order;

    private SortedEntries(MatrixEntries entries, int[] rowStarts, int[] order) {
        this.entries = entries;
        this.rowStarts = rowStarts;
        this.order = order;
    }

    /**
     * Sorts the entries of a file.
     *
     * @param rowCount rows and columns of the matrix
     * @param symmetric true if each entry off the diagonal also represents its mirror image
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

    /** Rejects an entry that occurs twice in the file. The message names both lines. */
    void checkEachOnce(Path file) throws MatrixFormatException {
        for (int row = 0; row < rowStarts.length - 1; row++) {
            for (int i = rowStarts[row] + 1; i < rowStarts[row + 1]; i++) {
                if (column(entries, order[i]) == column(entries, order[i - 1])) {
                    throw twice(file, index(order[i - 1]), index(order[i]));
                }
            }
        }
    }

    /** Returns the line of the file that holds an entry of {@link #matrix}, or its mirror image. */
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

    /** Returns the column of an entry or a mirror image. The column of a mirror image is the row of its entry. */
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
