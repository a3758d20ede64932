package org.segno.demo.fourier;

/** Reference: the same problem, solved by one process alone. */
final class OneProcess {
    /** Multiplier that makes neighbouring points as different as distant ones. */
    private static final long SPREAD = 0x9E3779B97F4A7C15L;

    private static final int FRACTION_BITS = 53;

    private OneProcess() {}

    /** Returns the points of a grid before the transform: between -1 and 1, different at each point. */
    static double[] points(int grid) {
        final double[] points = new double[2 * grid * grid * grid];
        for (int i = 0; i < points.length; i++) {
            final long mixed = (i + 1) * SPREAD;
            points[i] = ((mixed ^ (mixed >>> 29)) >>> (Long.SIZE - FRACTION_BITS)) * 0x1p-52 - 1;
        }
        return points;
    }

    /** Transforms a grid in place. */
    static void forward(double[] points, int grid) {
        final LineTransform transform = new LineTransform(grid);
        final double[] line = new double[2 * grid];
        int stride = 1;
        for (int axis = 0; axis < 3; axis++) {
            for (int start = 0; start < grid * grid * grid; start++) {
                if (start / stride % grid == 0) {
                    copy(points, start, stride, line, true);
                    transform.forward(line, 0);
                    copy(points, start, stride, line, false);
                }
            }
            stride *= grid;
        }
    }

    private static void copy(double[] points, int start, int stride, double[] line, boolean toLine) {
        for (int i = 0; i < line.length / 2; i++) {
            for (int part = 0; part < 2; part++) {
                final int at = 2 * (start + i * stride) + part;
                if (toLine) {
                    line[2 * i + part] = points[at];
                } else {
                    points[at] = line[2 * i + part];
                }
            }
        }
    }
}
