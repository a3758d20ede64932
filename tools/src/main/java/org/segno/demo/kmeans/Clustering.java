package org.segno.demo.kmeans;

import java.util.Arrays;

/**
 * Lloyd's algorithm: each point belongs to the nearest centre, and each centre moves to the mean of its points, until
 * no point changes its centre. Lloyd: Least squares quantization in PCM, 1982. An object holds one rank's points and
 * all centres, which are equal at every rank.
 *
 * <p>The ranks depend on each other through one sum in each iteration: coordinates and number of the points of each
 * centre, and the number of points that have changed.
 */
final class Clustering {
    private final Points points;
    private final int clusters;
    private final int dimensions;
    private final long[] centres;
    private final int[] nearest;
    private final long[] sums;
    private final long[] counts;

    /**
     * Creates the clustering of a rank's points.
     *
     * @param centres coordinates of the first centres
     */
    Clustering(Points points, long[] centres) {
        this.points = points;
        this.dimensions = points.dimensions();
        this.clusters = centres.length / dimensions;
        this.centres = centres.clone();
        this.nearest = new int[points.count()];
        this.sums = new long[length(clusters, dimensions)];
        this.counts = new long[clusters];
        Arrays.fill(nearest, -1);
    }

    /** Returns the number of values that are summed in an iteration. */
    static int length(int clusters, int dimensions) {
        return clusters * (dimensions + 1) + 1;
    }

    /** Makes an iteration. Returns the number of points of all ranks that have another centre than before. */
    long iterate(Totals totals) {
        assign();
        totals.sum(sums);
        move(sums);
        return sums[sums.length - 1];
    }

    /** Finds the nearest centre of each point, and adds the points of each centre up. */
    void assign() {
        Arrays.fill(sums, 0);
        for (int point = 0; point < nearest.length; point++) {
            final int cluster = nearest(point);
            if (cluster != nearest[point]) {
                nearest[point] = cluster;
                sums[sums.length - 1]++;
            }
            final int at = cluster * (dimensions + 1);
            for (int d = 0; d < dimensions; d++) {
                sums[at + d] += points.at(point, d);
            }
            sums[at + dimensions]++;
        }
    }

    private int nearest(int point) {
        int best = 0;
        long least = Long.MAX_VALUE;
        for (int cluster = 0; cluster < clusters; cluster++) {
            long squares = 0;
            for (int d = 0; d < dimensions; d++) {
                final long distance = points.at(point, d) - centres[cluster * dimensions + d];
                squares += distance * distance;
            }
            if (squares < least) {
                least = squares;
                best = cluster;
            }
        }
        return best;
    }

    /** Moves each centre to the mean of its points of all ranks. One without points stays. */
    void move(long[] totals) {
        for (int cluster = 0; cluster < clusters; cluster++) {
            final int at = cluster * (dimensions + 1);
            counts[cluster] = totals[at + dimensions];
            for (int d = 0; d < dimensions && counts[cluster] != 0; d++) {
                centres[cluster * dimensions + d] = Math.floorDiv(totals[at + d], counts[cluster]);
            }
        }
    }

    /** Returns the sums of {@link #assign}. */
    long[] sums() {
        return sums;
    }

    /** Returns the coordinates of the centres. */
    long[] centres() {
        return centres;
    }

    /** Returns the number of points of each centre, of all ranks. */
    long[] counts() {
        return counts;
    }
}
