package org.segno.bench.report;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.function.ToDoubleFunction;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.experiment.FigureKind;
import org.segno.bench.harness.Distance;
import org.segno.bench.harness.Slice;

/**
 * One line of the result: one metric of one experiment over all its slices.
 *
 * @param experiment experiment of the row
 * @param metric metric of the row
 * @param best best slice of all, in the metric's unit
 * @param median median over the slices of {@code distance}
 * @param worst worst over the slices of {@code distance}
 * @param distance distance of the cores in those slices: near if it occurred at all, else far, else mixed
 * @param sliceCount number of those slices
 * @param xProbe median over all near and far slices of time divided by the probe around it; NaN if the metric is not a
 *     time
 */
public record Row(
        Experiment experiment,
        FigureKind metric,
        double best,
        double median,
        double worst,
        Distance distance,
        int sliceCount,
        double xProbe) {

    /** Creates the row of one metric from an experiment's slices, at least one. */
    static Row of(Experiment experiment, int metricIndex, List<Slice> slices) {
        final FigureKind metric = experiment.metrics().get(metricIndex);
        final ToDoubleFunction<Slice> shown = slice -> metric.shown(slice.figure(metricIndex), experiment.size());
        final Distance distance = distance(slices);
        final double[] all = sorted(slices, slice -> true, shown);
        final double[] some = sorted(slices, slice -> slice.distance() == distance, shown);
        return new Row(
                experiment,
                metric,
                metric.moreIsBetter() ? all[all.length - 1] : all[0],
                median(some),
                metric.moreIsBetter() ? some[0] : some[some.length - 1],
                distance,
                some.length,
                metric.isTime() ? xProbe(metricIndex, slices) : Double.NaN);
    }

    private static Distance distance(List<Slice> slices) {
        return slices.stream().map(Slice::distance).min(Distance::compareTo).orElse(Distance.MIXED);
    }

    private static double xProbe(int metricIndex, List<Slice> slices) {
        final ToDoubleFunction<Slice> ratio = slice -> slice.figure(metricIndex) / slice.probeNs();
        final double[] steady = sorted(slices, slice -> slice.distance() != Distance.MIXED, ratio);
        return median(steady.length > 0 ? steady : sorted(slices, slice -> true, ratio));
    }

    private static double[] sorted(List<Slice> slices, Predicate<Slice> which, ToDoubleFunction<Slice> figure) {
        final double[] values =
                slices.stream().filter(which).mapToDouble(figure).toArray();
        Arrays.sort(values);
        return values;
    }

    /** Returns the median of sorted figures, at least one. */
    static double median(double[] sorted) {
        final int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
