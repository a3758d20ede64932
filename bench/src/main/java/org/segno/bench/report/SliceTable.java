package org.segno.bench.report;

import java.util.List;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.FigureKind;
import org.segno.bench.harness.Distance;
import org.segno.bench.harness.Measured;
import org.segno.bench.harness.Slice;
import org.segno.tools.output.Table;

/**
 * Raw figures of a run: one row for each metric of each experiment, with the figure and the probe of every counted
 * slice, in the order of the measurement.
 */
public final class SliceTable {
    private static final double PRECISION = 1e3;

    private SliceTable() {}

    /**
     * Creates the table. Figures have the metric's unit, probes are ns one way, and none if the cores have moved during
     * the slice; both have three decimals.
     */
    public static Table of(List<Experiment> experiments, Measured measured) {
        final Table table = Table.of("slices", "test", "size", "peer", "metric", "unit", "figures", "probesNs");
        for (int i = 0; i < experiments.size(); i++) {
            final int index = i;
            final Experiment experiment = experiments.get(i);
            final List<Slice> slices = measured.slices().stream()
                    .filter(slice -> slice.experiment() == index)
                    .toList();
            for (int metric = 0; metric < experiment.metrics().size(); metric++) {
                final FigureKind kind = experiment.metrics().get(metric);
                final int at = metric;
                table.row(
                        experiment.test(),
                        experiment.size(),
                        experiment.peer(),
                        kind.label(),
                        kind.unit(),
                        slices.stream()
                                .mapToDouble(slice -> rounded(kind.shown(slice.figure(at), experiment.size())))
                                .toArray(),
                        slices.stream()
                                .mapToDouble(slice ->
                                        slice.distance() == Distance.MIXED ? Double.NaN : rounded(slice.probeNs()))
                                .toArray());
            }
        }
        return table;
    }

    private static double rounded(double value) {
        return Math.round(value * PRECISION) / PRECISION;
    }
}
