package org.segno.demo.matrix;

import java.util.Random;

/** Symmetric, diagonally dominant and therefore positive definite matrix with a random pattern. */
public final class RandomMatrix implements MatrixSource {
    private final CsrMatrix matrix;

    /** Creates a matrix with about {@code extraPerRow} entries beside the diagonal in each row, more in some. */
    public RandomMatrix(int rowCount, int extraPerRow, long seed) {
        final Random random = new Random(seed);
        final double[][] dense = new double[rowCount][rowCount];
        for (int i = 0; i < rowCount * extraPerRow / 2; i++) {
            // Squared, so that the first rows have most entries and a balanced partition has unequal blocks.
            final int row = (int) (rowCount * random.nextDouble() * random.nextDouble());
            final int column = random.nextInt(rowCount);
            final double value = random.nextDouble() - 0.5;
            dense[row][column] = value;
            dense[column][row] = value;
        }
        final MatrixEntries entries = new MatrixEntries();
        for (int row = 0; row < rowCount; row++) {
            double sum = 0;
            for (int column = 0; column < rowCount; column++) {
                sum += row == column ? 0 : Math.abs(dense[row][column]);
                if (column < row && dense[row][column] != 0) {
                    entries.add(row, column, dense[row][column], 0);
                }
            }
            entries.add(row, row, sum + 0.01 + random.nextDouble(), 0);
        }
        matrix = SortedEntries.of(entries, rowCount, true).matrix();
    }

    @Override
    public String name() {
        return "random";
    }

    @Override
    public int rowCount() {
        return matrix.rowCount();
    }

    @Override
    public long nonzeroCount() {
        return matrix.nonzeroCount();
    }

    @Override
    public int rowLength(int row) {
        return matrix.rowStart(row + 1) - matrix.rowStart(row);
    }

    @Override
    public CsrMatrix rows(int first, int end) {
        return matrix.slice(first, end);
    }
}
