package org.segno.demo.cg;

import org.jspecify.annotations.Nullable;
import org.segno.demo.matrix.MatrixSource;
import org.segno.demo.matrix.PoissonGrid;
import org.segno.demo.solver.OneProcessReference;
import org.segno.tools.output.Quantity;

/**
 * Estimate of the heap that a rank needs for its part of a generated problem, computed before anything is built. A
 * matrix file needs no estimate: the command itself reads it first.
 */
final class HeapEstimate {
    /** Column, column in the local vector, value. */
    private static final long BYTES_PER_NONZERO = 4 + 4 + 8;

    /** Start of the row and an element in each of six vectors. */
    private static final long BYTES_PER_ROW = 4 + 6 * 8;

    /** Classes, the times of iterations, ghosts. */
    private static final long FIXED_BYTES = 16L << 20;

    /** Usable part of a heap. The remainder is too small for the next array, or is the young generation. */
    private static final int USABLE_TENTHS = 8;

    /** Limit of one rank's nonzeros, which are in one array. The shares of ranks differ by a few rows. */
    private static final long SHARE_LIMIT = Integer.MAX_VALUE - 1_000;

    private HeapEstimate() {}

    /**
     * Returns the error in a problem that is too large for ranks with this much heap each, with the required heap and
     * the largest problem that fits. Returns null if the problem fits.
     */
    static @Nullable String problem(int edge, int ranks, long heapBytes) {
        final MatrixSource source = new PoissonGrid(edge);
        final long needBytes = bytes(source, ranks);
        final long sharers = source.nonzeroCount() / SHARE_LIMIT + 1;
        if (fits(source, ranks, heapBytes)) {
            return null;
        }
        return source.name() + " on " + Quantity.of(ranks, "rank") + " needs about " + Quantity.ofBytes(needBytes)
                + " of heap for each" + (ranks < sharers ? ", and at least " + sharers + " ranks" : "")
                + "; a JVM has " + Quantity.ofBytes(heapBytes)
                + " here, a fifth of it for other things: use --grid "
                + largestEdge(edge, ranks, heapBytes)
                + " or less, more ranks (-n), or more heap (JAVA_TOOL_OPTIONS=-Xmx…)";
    }

    static long bytes(MatrixSource source, int ranks) {
        final long wholeBytes = BYTES_PER_NONZERO * source.nonzeroCount() + BYTES_PER_ROW * source.rowCount();
        // Rank 0 also solves the whole system, in addition to its own part.
        final boolean repeated = source.nonzeroCount() <= OneProcessReference.NONZERO_LIMIT;
        return FIXED_BYTES + wholeBytes / ranks + (repeated ? wholeBytes : 0);
    }

    private static boolean fits(MatrixSource source, int ranks, long heapBytes) {
        return bytes(source, ranks) <= heapBytes / 10 * USABLE_TENTHS && source.nonzeroCount() / SHARE_LIMIT < ranks;
    }

    private static int largestEdge(int tooLarge, int ranks, long heapBytes) {
        int edge = tooLarge - 1;
        while (edge > 1 && !fits(new PoissonGrid(edge), ranks, heapBytes)) {
            edge--;
        }
        return edge;
    }
}
