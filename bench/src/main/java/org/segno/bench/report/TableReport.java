package org.segno.bench.report;

import java.util.Locale;
import java.util.Map;
import org.segno.bench.experiment.Clock;
import org.segno.bench.experiment.Experiment;
import org.segno.bench.harness.Distance;

/** Result as aligned text under a header with the machine and the conditions. */
public final class TableReport {
    private static final double WITHOUT_DECIMALS = 1_000;
    private static final double WITH_ONE_DECIMAL = 10;

    private TableReport() {}

    /** Returns the text. */
    public static String of(Result result, Ground ground) {
        final StringBuilder text = new StringBuilder();
        ground.describe().forEach(line -> text.append("# ").append(line).append('\n'));
        text.append("# ").append(states(result)).append('\n');
        text.append(line(
                "test", "size", "peer", "metric", "best", "median", "worst", "unit", "x probe", "state", "slices"));
        Experiment last = null;
        for (final Row row : result.rows()) {
            final Experiment experiment = row.experiment();
            if (last != null && !(last.test().equals(experiment.test()) && last.size() == experiment.size())) {
                text.append('\n');
            }
            last = experiment;
            text.append(line(row));
        }
        return text.toString();
    }

    private static String line(Row row) {
        return line(
                row.experiment().test(),
                row.experiment().size(),
                row.experiment().peer(),
                row.metric().label(),
                figure(row.best()),
                figure(row.median()),
                figure(row.worst()),
                row.metric().unit(),
                Double.isNaN(row.xProbe()) ? "-" : String.format(Locale.ROOT, "%.3g", row.xProbe()),
                row.distance().label(),
                row.sliceCount());
    }

    private static String line(Object... cells) {
        return String.format(Locale.ROOT, "%-21s %7s  %-28s %-13s %10s %10s %10s  %-7s %8s  %-5s %6s%n", cells);
    }

    private static String figure(double value) {
        if (value >= WITHOUT_DECIMALS) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, value >= WITH_ONE_DECIMAL ? "%.1f" : "%.2f", value);
    }

    private static String states(Result result) {
        final Map<Distance, Integer> slices = result.slices();
        final int all = slices.values().stream().mapToInt(Integer::intValue).sum();
        final StringBuilder text = new StringBuilder("slices: " + all);
        for (final Distance distance : Distance.values()) {
            final int share = Math.round(100f * slices.getOrDefault(distance, 0) / Math.max(1, all));
            text.append(String.format(Locale.ROOT, ", %s %d %%", distance.label(), share));
        }
        return text.append(String.format(
                        Locale.ROOT,
                        "; best probe %.1f ns; nanoTime costs %.1f ns, taken out of latencies; without a core %.1f %%"
                                + " of the time",
                        result.probeNs(),
                        Clock.costNs(),
                        100 * result.waited()))
                .toString();
    }
}
