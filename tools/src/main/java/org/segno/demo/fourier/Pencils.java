package org.segno.demo.fourier;

/**
 * Grid that is cut into pencils along one axis, one for each virtual rank.
 *
 * <p>Virtual ranks form a plane of rows and columns. From one axis to the next, data are exchanged within a row or
 * within a column.
 */
final class Pencils {
    /** Direction of the pencils. */
    enum Axis {
        X,
        Y,
        Z
    }

    private final int grid;
    private final int rows;
    private final int columns;
    private final Axis axis;

    /** Creates the pencils of {@code grid}³ points for {@code count} virtual ranks, both powers of two. */
    Pencils(int grid, int count, Axis axis) {
        this.grid = grid;
        this.rows = 1 << (Integer.numberOfTrailingZeros(count) / 2);
        this.columns = count / rows;
        this.axis = axis;
    }

    /** Returns the pencil of a virtual rank. */
    Box box(int virtual) {
        final int first = virtual % columns;
        final int second = virtual / columns;
        final int one = grid / columns;
        final int other = grid / rows;
        return switch (axis) {
            case X -> new Box(0, first * one, second * other, grid, one, other);
            case Y -> new Box(first * one, 0, second * other, one, grid, other);
            case Z -> new Box(first * one, second * other, 0, one, other, grid);
        };
    }

    /** Returns the index of a point in its pencil. Lines along the axis follow each other. */
    int index(Box box, int x, int y, int z) {
        final int a = x - box.x();
        final int b = y - box.y();
        final int c = z - box.z();
        return switch (axis) {
            case X -> (c * box.height() + b) * grid + a;
            case Y -> (c * box.width() + a) * grid + b;
            case Z -> (b * box.width() + a) * grid + c;
        };
    }
}
