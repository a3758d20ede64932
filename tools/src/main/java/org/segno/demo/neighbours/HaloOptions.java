package org.segno.demo.neighbours;

import java.util.List;
import org.segno.demo.comparison.ComparisonOptions;
import org.segno.demo.comparison.DemoWorkload;
import org.segno.demo.comparison.VirtualRanks;
import picocli.CommandLine.Option;

/** Options of the pieces. */
final class HaloOptions extends ComparisonOptions {
    private static final int MOST_BYTES = 65_536;

    @Option(
            names = "--bytes",
            paramLabel = "B",
            defaultValue = "64",
            description = "bytes of a piece, a multiple of 8, 8 to 65536; default ${DEFAULT-VALUE}")
    private int bytes;

    HaloOptions() {}

    @Override
    protected String program() {
        return "halo4d";
    }

    @Override
    protected int phases() {
        return 2;
    }

    @Override
    protected void check(int size) {
        super.check(size);
        between("--bytes", bytes, Long.BYTES, MOST_BYTES);
        if (bytes % Long.BYTES != 0) {
            throw wrong("--bytes must be a multiple of " + Long.BYTES + ": " + bytes);
        }
    }

    @Override
    protected DemoWorkload workload(int rank, int size) {
        return new NeighbourWorkload(bytes, new VirtualRanks(virtualRanks(), size), rank);
    }

    @Override
    protected List<String> toArguments() {
        final List<String> arguments = super.toArguments();
        arguments.add("--bytes=" + bytes);
        return arguments;
    }
}
