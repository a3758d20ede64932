package org.segno.demo.fourier;

/** Box of grid points: its lowest coordinates and its extents, in x, y and z. */
record Box(int x, int y, int z, int width, int height, int depth) {
    /** Returns the intersection of two boxes, which may be empty. */
    Box common(Box other) {
        final int left = Math.max(x, other.x);
        final int low = Math.max(y, other.y);
        final int near = Math.max(z, other.z);
        return new Box(
                left,
                low,
                near,
                Math.max(0, Math.min(x + width, other.x + other.width) - left),
                Math.max(0, Math.min(y + height, other.y + other.height) - low),
                Math.max(0, Math.min(z + depth, other.z + other.depth) - near));
    }

    /** Returns the number of its points. */
    int points() {
        return width * height * depth;
    }

    /** Calls the visitor for each point, x first, then y, then z. */
    void each(Visitor visitor) {
        for (int c = z; c < z + depth; c++) {
            for (int b = y; b < y + height; b++) {
                for (int a = x; a < x + width; a++) {
                    visitor.visit(a, b, c);
                }
            }
        }
    }

    /** Visitor of points. */
    @FunctionalInterface
    interface Visitor {
        void visit(int x, int y, int z);
    }
}
