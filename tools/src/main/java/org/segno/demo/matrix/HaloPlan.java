package org.segno.demo.matrix;

import java.util.Arrays;

/**
 * Plan of the values that one rank receives from its neighbours for a product with its rows, and of the values that it
 * sends to them.
 *
 * <p>A local vector holds the rank's own values first, then the <em>ghosts</em>: copies of the neighbours' values.
 * Ghosts are in ascending order of their index in the whole vector, and so in one block for each neighbour. The values
 * sent to a neighbour are one block too, in the same order.
 *
 * <p>Because the pattern of the matrix is symmetric, each rank derives the values that others need from its own rows,
 * without a message.
 */
public final class HaloPlan {
    private final int[] neighbours;
    private final int[] ghostStarts;
    private final int[] sendStarts;
    private final int[] sendRows;
    private final int[] ghostColumns;
    private final CsrMatrix matrix;

    private HaloPlan(
            int[] neighbours,
            int[] ghostStarts,
            int[] sendStarts,
            int[] sendRows,
            int[] ghostColumns,
            CsrMatrix matrix) {
        this.neighbours = neighbours;
        this.ghostStarts = ghostStarts;
        this.sendStarts = sendStarts;
        this.sendRows = sendRows;
        this.ghostColumns = ghostColumns;
        this.matrix = matrix;
    }

    /**
     * Computes the plan of one rank.
     *
     * @param rows the rank's rows with the columns of the whole matrix
     * @param partition the rows of all ranks
     * @param rank the rank that owns {@code rows}
     */
    public static HaloPlan of(CsrMatrix rows, RowPartition partition, int rank) {
        final int first = partition.first(rank);
        final int end = partition.end(rank);
        final int[] ghostColumns = ghostColumns(rows, first, end);
        final int[] neighbours =
                Arrays.stream(ghostColumns).map(partition::owner).distinct().toArray();
        final int[] ghostStarts = new int[neighbours.length + 1];
        for (final int column : ghostColumns) {
            ghostStarts[Arrays.binarySearch(neighbours, partition.owner(column)) + 1]++;
        }
        Arrays.parallelPrefix(ghostStarts, Integer::sum);

        final int[] localColumns = new int[rows.nonzeroCount()];
        for (int entry = 0; entry < localColumns.length; entry++) {
            final int column = rows.column(entry);
            localColumns[entry] = column >= first && column < end
                    ? column - first
                    : end - first + Arrays.binarySearch(ghostColumns, column);
        }
        final CsrMatrix matrix = rows.withColumns(localColumns);
        final int[] sendStarts = new int[neighbours.length + 1];
        final int[] sendRows = sendRows(matrix, ghostStarts, sendStarts);
        return new HaloPlan(neighbours, ghostStarts, sendStarts, sendRows, ghostColumns, matrix);
    }

    /** Returns the rank's rows with the columns of the local vector: own values, then ghosts. */
    public CsrMatrix matrix() {
        return matrix;
    }

    /** Returns the length of a local vector: own values and ghosts. */
    public int vectorLength() {
        return matrix.rowCount() + ghostCount();
    }

    /** Returns the number of ghosts from all neighbours together. */
    public int ghostCount() {
        return ghostColumns.length;
    }

    /** Returns the number of ranks with which values are exchanged, in both directions. */
    public int neighbourCount() {
        return neighbours.length;
    }

    /** Returns the rank of a neighbour. Neighbours are numbered from zero in the order of their ranks. */
    public int neighbour(int neighbour) {
        return neighbours[neighbour];
    }

    /** Returns the first ghost from a neighbour. For {@link #neighbourCount()} it is one past the last ghost of all. */
    public int ghostStart(int neighbour) {
        return ghostStarts[neighbour];
    }

    /**
     * Returns the first value sent to a neighbour among all sent values. For {@link #neighbourCount()} it is one past
     * the last.
     */
    public int sendStart(int neighbour) {
        return sendStarts[neighbour];
    }

    /** Returns the number of values sent to all neighbours together. A value that two neighbours need counts twice. */
    public int sendCount() {
        return sendRows.length;
    }

    /** Returns the own row of the {@code index}-th sent value. */
    public int sendRow(int index) {
        return sendRows[index];
    }

    /** Returns the index of a ghost in the whole vector. */
    public int ghostColumn(int ghost) {
        return ghostColumns[ghost];
    }

    private static int[] ghostColumns(CsrMatrix rows, int first, int end) {
        int[] columns = new int[64];
        int count = 0;
        for (int entry = 0; entry < rows.nonzeroCount(); entry++) {
            final int column = rows.column(entry);
            if (column < first || column >= end) {
                if (count == columns.length) {
                    columns = Arrays.copyOf(columns, 2 * count);
                }
                columns[count++] = column;
            }
        }
        return Arrays.stream(columns, 0, count).sorted().distinct().toArray();
    }

    /** Returns, neighbour by neighbour, the rows that touch one of its ghosts. Also fills {@code sendStarts}. */
    private static int[] sendRows(CsrMatrix matrix, int[] ghostStarts, int[] sendStarts) {
        final int rowCount = matrix.rowCount();
        int[] sendRows = new int[64];
        int count = 0;
        for (int neighbour = 0; neighbour < sendStarts.length - 1; neighbour++) {
            final int from = rowCount + ghostStarts[neighbour];
            final int to = rowCount + ghostStarts[neighbour + 1];
            for (int row = 0; row < rowCount; row++) {
                if (touches(matrix, row, from, to)) {
                    if (count == sendRows.length) {
                        sendRows = Arrays.copyOf(sendRows, 2 * count);
                    }
                    sendRows[count++] = row;
                }
            }
            sendStarts[neighbour + 1] = count;
        }
        return Arrays.copyOf(sendRows, count);
    }

    private static boolean touches(CsrMatrix matrix, int row, int firstColumn, int endColumn) {
        for (int entry = matrix.rowStart(row); entry < matrix.rowStart(row + 1); entry++) {
            if (matrix.column(entry) >= firstColumn && matrix.column(entry) < endColumn) {
                return true;
            }
        }
        return false;
    }
}
