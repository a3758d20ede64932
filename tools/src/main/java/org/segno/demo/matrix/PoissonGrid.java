package org.segno.demo.matrix;

/**
 * 27-point Poisson problem on a cube of {@code edge}³ points, generated row by row.
 *
 * <p>Every point is coupled to itself with 26 and to each of its neighbours, diagonal ones included, with −1. Points at
 * the surface have fewer neighbours and the same 26, which makes the matrix positive definite. Point (x, y, z) is row
 * {@code (z · edge + y) · edge + x}.
 */
public final class PoissonGrid implements MatrixSource {
    /** Largest edge for which an {@code int} can number the rows. */
    public static final int EDGE_LIMIT = 1_290;

    private static final double DIAGONAL = 26;
    private static final double NEIGHBOUR = -1;

    private final int edge;

    /**
     * Creates a problem. Nothing is generated yet.
     *
     * @throws IllegalArgumentException if the edge is not between 1 and {@link #EDGE_LIMIT}
     */
    public PoissonGrid(int edge) {
        if (edge < 1 || edge > EDGE_LIMIT) {
            throw new IllegalArgumentException("grid must be between 1 and " + EDGE_LIMIT + ": grid=" + edge);
        }
        this.edge = edge;
    }

    @Override
    public String name() {
        return "27-point Poisson " + edge + " x " + edge + " x " + edge;
    }

    @Override
    public int rowCount() {
        return edge * edge * edge;
    }

    @Override
    public long nonzeroCount() {
        // In one dimension each of the `edge` points has itself and two neighbours; the two ends have one neighbour
        // less. In three dimensions the number is the cube.
        final long perDimension = 3L * edge - 2;
        return perDimension * perDimension * perDimension;
    }

    @Override
    public int rowLength(int row) {
        return extent(row % edge) * extent(row / edge % edge) * extent(row / edge / edge);
    }

    /** {@inheritDoc} */
    @Override
    public CsrMatrix rows(int first, int end) {
        final int[] starts = new int[end - first + 1];
        for (int row = first; row < end; row++) {
            starts[row - first + 1] = Math.addExact(starts[row - first], rowLength(row));
        }
        final int[] columns = new int[starts[end - first]];
        final double[] values = new double[columns.length];
        for (int row = first; row < end; row++) {
            fillRow(row, starts[row - first], columns, values);
        }
        return new CsrMatrix(starts, columns, values);
    }

    private void fillRow(int row, int start, int[] columns, double[] values) {
        final int x = row % edge;
        final int y = row / edge % edge;
        final int z = row / edge / edge;
        int entry = start;
        for (int neighbourZ = Math.max(0, z - 1); neighbourZ <= Math.min(edge - 1, z + 1); neighbourZ++) {
            for (int neighbourY = Math.max(0, y - 1); neighbourY <= Math.min(edge - 1, y + 1); neighbourY++) {
                final int line = (neighbourZ * edge + neighbourY) * edge;
                for (int column = line + Math.max(0, x - 1); column <= line + Math.min(edge - 1, x + 1); column++) {
                    columns[entry] = column;
                    values[entry] = column == row ? DIAGONAL : NEIGHBOUR;
                    entry++;
                }
            }
        }
    }

    private int extent(int coordinate) {
        return Math.min(edge - 1, coordinate + 1) - Math.max(0, coordinate - 1) + 1;
    }
}
