package org.segno.demo.kmeans;

/**
 * A part of the points. Coordinates are integers, so that sums do not depend on the order of their terms. A point
 * follows from its number alone: it lies around one of several centres. So any division has the same points.
 */
final class Points {
    /** Size of the space in each dimension. */
    static final long SPACE = 1 << 20;

    private static final long SPREAD = SPACE / 16;
    private static final long STEP = 0x9E3779B97F4A7C15L;
    private static final int CENTRES = 64;

    private final int dimensions;
    private final long[] coordinates;

    /** Creates the points from number {@code first} to before {@code end}. */
    Points(long first, long end, int dimensions) {
        this.dimensions = dimensions;
        this.coordinates = new long[Math.toIntExact((end - first) * dimensions)];
        for (long point = first; point < end; point++) {
            final long centre = Math.floorMod(mixed(point), CENTRES);
            for (int d = 0; d < dimensions; d++) {
                final long near = Math.floorMod(mixed(-1 - centre * dimensions - d), SPACE);
                final long off = Math.floorMod(mixed(point * dimensions + d + STEP), 2 * SPREAD) - SPREAD;
                coordinates[(int) (point - first) * dimensions + d] = near + off;
            }
        }
    }

    /** Returns a number that looks random; the finalizer of SplitMix64, Steele, Lea, Flood 2014. */
    private static long mixed(long number) {
        long bits = number * STEP;
        bits = (bits ^ (bits >>> 30)) * 0xBF58476D1CE4E5B9L;
        bits = (bits ^ (bits >>> 27)) * 0x94D049BB133111EBL;
        return bits ^ (bits >>> 31);
    }

    int count() {
        return coordinates.length / dimensions;
    }

    int dimensions() {
        return dimensions;
    }

    /** Returns a coordinate of the point {@code index} of this part. */
    long at(int index, int dimension) {
        return coordinates[index * dimensions + dimension];
    }
}
