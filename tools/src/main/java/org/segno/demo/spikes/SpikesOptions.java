package org.segno.demo.spikes;

import java.util.List;
import org.segno.demo.comparison.ComparisonOptions;
import org.segno.demo.comparison.DemoWorkload;
import org.segno.demo.comparison.VirtualRanks;
import picocli.CommandLine.Option;

/** Options of the cells, their targets and their spikes. */
final class SpikesOptions extends ComparisonOptions {
    private static final int MOST_CELLS = 100_000;

    @Option(
            names = "--cells",
            paramLabel = "C",
            defaultValue = "2000",
            description = "cells of each rank, each with a pattern of its own; default ${DEFAULT-VALUE}")
    private int cells;

    @Option(
            names = "--targets",
            paramLabel = "T",
            defaultValue = "16",
            description = "virtual ranks that a cell notifies, all different; default ${DEFAULT-VALUE}")
    private int targets;

    @Option(
            names = "--spikes",
            paramLabel = "S",
            defaultValue = "100",
            description = "random cells of each rank that fire in an iteration; default ${DEFAULT-VALUE}")
    private int spikes;

    @Option(
            names = "--seed",
            paramLabel = "N",
            defaultValue = "1",
            description = "seed of the random numbers, which repeats the same draws; default ${DEFAULT-VALUE}")
    private long seed;

    SpikesOptions() {}

    @Override
    protected String program() {
        return "spikes";
    }

    @Override
    protected int phases() {
        return 1;
    }

    @Override
    protected void check(int size) {
        super.check(size);
        between("--cells", cells, 1, MOST_CELLS);
        between("--targets", targets, 1, virtualRanks());
        between("--spikes", spikes, 1, cells);
    }

    @Override
    protected DemoWorkload workload(int rank, int size) {
        return new CellWorkload(new Cells(new VirtualRanks(virtualRanks(), size), cells, targets, spikes, seed), rank);
    }

    @Override
    protected List<String> toArguments() {
        final List<String> arguments = super.toArguments();
        arguments.add("--cells=" + cells);
        arguments.add("--targets=" + targets);
        arguments.add("--spikes=" + spikes);
        arguments.add("--seed=" + seed);
        return arguments;
    }
}
