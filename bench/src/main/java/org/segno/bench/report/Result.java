package org.segno.bench.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.harness.Distance;
import org.segno.bench.harness.Measured;
import org.segno.bench.harness.Slice;

/**
 * Result of a run.
 *
 * @param rows one for each metric of each experiment, those of one test and size together
 * @param slices number of counted slices at each distance
 * @param probeNs best probe of the run, ns one way
 * @param waited fraction of the time for which a worker was without its core
 */
public record Result(List<Row> rows, Map<Distance, Integer> slices, double probeNs, double waited) {
    private static final Comparator<Row> TESTS_TOGETHER = Comparator.comparing(
                    (Row row) -> row.experiment().test())
            .thenComparing(row -> row.experiment().size());

    /** Copies the collections. */
    public Result {
        rows = List.copyOf(rows);
        slices = Map.copyOf(slices);
    }

    /** Creates the result of a run of these experiments. An experiment without slices has no row. */
    public static Result of(List<Experiment> experiments, Measured measured) {
        final List<Slice> slices = measured.slices();
        final List<Row> rows = new ArrayList<>();
        for (int i = 0; i < experiments.size(); i++) {
            final int index = i;
            final List<Slice> own =
                    slices.stream().filter(slice -> slice.experiment() == index).toList();
            for (int metric = 0;
                    !own.isEmpty() && metric < experiments.get(i).metrics().size();
                    metric++) {
                rows.add(Row.of(experiments.get(i), metric, own));
            }
        }
        rows.sort(TESTS_TOGETHER);
        final Map<Distance, Integer> counts = new EnumMap<>(Distance.class);
        slices.forEach(slice -> counts.merge(slice.distance(), 1, Integer::sum));
        final double probeNs = slices.stream().mapToDouble(Slice::probeNs).min().orElse(Double.NaN);
        return new Result(rows, counts, probeNs, measured.waited());
    }
}
