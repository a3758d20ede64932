package org.segno.demo.fourier;

import java.util.List;
import org.agrona.BitUtil;
import org.segno.demo.comparison.ComparisonOptions;
import org.segno.demo.comparison.DemoWorkload;
import org.segno.demo.comparison.VirtualRanks;
import picocli.CommandLine.Option;

/** Options of the grid. */
final class FourierOptions extends ComparisonOptions {
    private static final int LEAST_GRID = 4;

    /** Limit because every rank also transforms the whole grid, for comparison. */
    private static final int MOST_GRID = 128;

    @Option(
            names = "--grid",
            paramLabel = "N",
            defaultValue = "32",
            description = "N x N x N points, a power of two, 4 to 128; default ${DEFAULT-VALUE}")
    private int grid;

    FourierOptions() {}

    @Override
    protected String program() {
        return "fft3d";
    }

    @Override
    protected int phases() {
        return PencilTransform.PHASES;
    }

    @Override
    protected void check(int size) {
        super.check(size);
        between("--grid", grid, LEAST_GRID, MOST_GRID);
        if (!BitUtil.isPowerOfTwo(grid)) {
            throw wrong("--grid must be a power of two: " + grid);
        }
        if (!BitUtil.isPowerOfTwo(virtualRanks()) || virtualRanks() > grid * grid) {
            throw wrong("--virtual must be a power of two and, for --grid " + grid + ", at most " + grid * grid + ": "
                    + virtualRanks());
        }
    }

    @Override
    protected DemoWorkload workload(int rank, int size) {
        return new PencilWorkload(grid, new VirtualRanks(virtualRanks(), size), rank);
    }

    @Override
    protected List<String> toArguments() {
        final List<String> arguments = super.toArguments();
        arguments.add("--grid=" + grid);
        return arguments;
    }
}
