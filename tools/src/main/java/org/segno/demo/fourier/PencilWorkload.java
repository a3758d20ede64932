package org.segno.demo.fourier;

import java.util.List;
import org.segno.demo.comparison.DemoWorkload;
import org.segno.demo.comparison.MeasuredExchange;
import org.segno.demo.comparison.VirtualRanks;
import org.segno.demo.manytomany.ExchangeMemory;
import org.segno.node.Node;
import org.segno.node.NodeConfig;

/** Pencils of a grid at one rank, with their transposes: x to y, y to z, z to y, y to x. */
final class PencilWorkload implements DemoWorkload {
    private final int grid;
    private final VirtualRanks ranks;
    private final int rank;
    private final Transpose[] transposes = new Transpose[PencilTransform.PHASES];

    PencilWorkload(int grid, VirtualRanks ranks, int rank) {
        this.grid = grid;
        this.ranks = ranks;
        this.rank = rank;
        final Pencils.Axis[] order = {
            Pencils.Axis.X, Pencils.Axis.Y, Pencils.Axis.Z, Pencils.Axis.Y, Pencils.Axis.X,
        };
        for (int phase = 0; phase < transposes.length; phase++) {
            transposes[phase] = Transpose.of(pencils(order[phase]), pencils(order[phase + 1]), ranks, rank);
        }
    }

    private Pencils pencils(Pencils.Axis axis) {
        return new Pencils(grid, ranks.count(), axis);
    }

    int grid() {
        return grid;
    }

    Transpose transpose(int phase) {
        return transposes[phase];
    }

    /** Returns this rank's pencils along an axis of a whole grid, in which x is the fastest coordinate. */
    double[] own(double[] whole, Pencils.Axis axis) {
        final Pencils pencils = pencils(axis);
        final int pencilPoints = pencils.box(0).points();
        final double[] points = new double[2 * pencilPoints * ranks.count(rank)];
        for (int i = 0; i < ranks.count(rank); i++) {
            final Box box = pencils.box(ranks.first(rank) + i);
            final int before = i * pencilPoints;
            box.each((x, y, z) -> System.arraycopy(
                    whole, 2 * ((z * grid + y) * grid + x), points, 2 * (before + pencils.index(box, x, y, z)), 2));
        }
        return points;
    }

    @Override
    public String title() {
        return "3D Fourier transform of " + grid + " x " + grid + " x " + grid
                + " complex doubles by pencils, forward and backward";
    }

    @Override
    public NodeConfig nodeConfig() {
        return memory().nodeConfig();
    }

    @Override
    public long windowBytes() {
        return memory().windowBytes();
    }

    ExchangeMemory memory() {
        final ExchangeMemory memory = new ExchangeMemory(ranks.size());
        for (final Transpose transpose : transposes) {
            memory.with(transpose.pieces());
        }
        return memory;
    }

    @Override
    public List<MeasuredExchange> open(Node node) {
        return List.of(new PencilTransform(node, this));
    }
}
