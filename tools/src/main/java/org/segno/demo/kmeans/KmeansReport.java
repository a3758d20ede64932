package org.segno.demo.kmeans;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.segno.demo.rank.DemoReport;
import org.segno.tools.output.JsonObject;
import org.segno.tools.output.Quantity;

/**
 * Output of the demo.
 *
 * @param settled true if no point changed its centre in the last iteration
 * @param verified true if one process has found the same clusters
 */
record KmeansReport(
        Problem problemSize, int iterations, boolean settled, boolean verified, Sizes sizes, Figures figures)
        implements DemoReport {
    /** Size of the problem. */
    record Problem(long points, int dimensions, int clusters, int ranks) {}

    /** Number of points of the smallest and of the largest cluster. */
    record Sizes(long smallest, long largest) {
        static Sizes of(long[] counts) {
            return new Sizes(
                    Arrays.stream(counts).min().orElse(0),
                    Arrays.stream(counts).max().orElse(0));
        }
    }

    /** Medians of rank 0 in microseconds, and the algorithm of the sum. */
    record Figures(double computeMicros, double reduceMicros, String algorithm) {}

    @Override
    public @Nullable String problem() {
        return verified ? null : "one process has found other clusters";
    }

    @Override
    public String toText() {
        return String.format(
                Locale.ROOT,
                "%s of %s · %s · %s%n%s %s · %s of %,d to %,d points%n%s%n%n"
                        + "iteration  %10.1f us   medians of rank 0%n  compute  %10.1f us%n"
                        + "  reduce   %10.1f us   one allreduce of %s by %s%n",
                Quantity.of(problemSize.points, "point"),
                Quantity.of(problemSize.dimensions, "dimension"),
                Quantity.of(problemSize.clusters, "cluster"),
                Quantity.of(problemSize.ranks, "rank"),
                settled ? "settled in" : "ended after",
                Quantity.of(iterations, "iteration"),
                Quantity.of(problemSize.clusters, "cluster"),
                sizes.smallest,
                sizes.largest,
                verified ? "verified" : "NOT VERIFIED: " + problem(),
                figures.computeMicros + figures.reduceMicros,
                figures.computeMicros,
                figures.reduceMicros,
                Quantity.of(
                        (long) Clustering.length(problemSize.clusters, problemSize.dimensions) * Long.BYTES, "byte"),
                figures.algorithm);
    }

    @Override
    public String toJson() {
        return new JsonObject()
                .put("schema", "segno-demo-kmeans-1")
                .put("program", "kmeans")
                .put("points", problemSize.points)
                .put("dimensions", problemSize.dimensions)
                .put("clusters", problemSize.clusters)
                .put("ranks", problemSize.ranks)
                .put("iterations", iterations)
                .put("settled", settled)
                .put("verified", verified)
                .put("smallest", sizes.smallest)
                .put("largest", sizes.largest)
                .put("computeMicros", figures.computeMicros)
                .put("reduceMicros", figures.reduceMicros)
                .put("algorithm", figures.algorithm)
                .toString();
    }
}
