package org.segno.bench.goals;

import java.util.Comparator;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.segno.bench.harness.Distance;
import org.segno.bench.report.SavedRun.DistanceMedian;
import org.segno.bench.report.SavedRun.SavedRow;

/**
 * Figure of a row and that of another row beside it, if possible of the same distance of the cores.
 *
 * @param states the distance, or those of both rows if they have none in common
 * @param isAlike true if both figures are of one distance
 * @param figure of the row
 * @param other of the other row; NaN without one
 */
record FigurePair(String states, boolean isAlike, double figure, double other) {
    /**
     * Returns the medians of the distance, near or far, of which both rows have the most slices; without one, those of
     * the rows.
     *
     * @param beside the other row, or null for a figure without another
     */
    static FigurePair of(SavedRow row, @Nullable SavedRow beside) {
        final Map<Distance, DistanceMedian> others = (beside == null ? row : beside).medians();
        final Distance common = row.medians().keySet().stream()
                .filter(others::containsKey)
                .sorted()
                .max(Comparator.comparingInt(
                        distance -> Math.min(slices(row.medians(), distance), slices(others, distance))))
                .orElse(null);
        if (common == null) {
            return new FigurePair(
                    states(row) + (beside == null ? "" : ", " + states(beside)),
                    false,
                    row.median(),
                    beside == null ? Double.NaN : beside.median());
        }
        return new FigurePair(
                common.label(),
                true,
                figure(row.medians(), common),
                beside == null ? Double.NaN : figure(others, common));
    }

    private static int slices(Map<Distance, DistanceMedian> medians, Distance distance) {
        final DistanceMedian median = medians.get(distance);
        return median == null ? 0 : median.slices();
    }

    private static double figure(Map<Distance, DistanceMedian> medians, Distance distance) {
        final DistanceMedian median = medians.get(distance);
        return median == null ? Double.NaN : median.figure();
    }

    private static String states(SavedRow row) {
        return row.medians().isEmpty()
                ? Distance.MIXED.label()
                : row.medians().keySet().stream().sorted().map(Distance::label).collect(Collectors.joining("+"));
    }

    /** Returns the ratio of the figures; NaN without another one, or if they are not alike. */
    double ratio() {
        return isAlike ? figure / other : Double.NaN;
    }
}
