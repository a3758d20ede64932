package org.segno.bench.death;

import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.segno.bench.report.Environment;
import org.segno.node.NodeConfig.Threading;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/**
 * Report of the kills: for each threading one row for all of them, and one each for those of the hub and of other
 * ranks.
 */
final class DeathReport {
    private static final String SCHEMA = "segno-bench-death-2";
    private static final double NS_PER_MS = 1e6;
    private static final double MEDIAN = 50;
    private static final double HIGH = 99;

    /** Significant digits of the percentiles. */
    private static final int DIGITS = 3;

    private final List<Row> rows;
    private final double limitMs;

    DeathReport(List<Death> deaths, double limitMs) {
        this.rows = deaths.stream()
                .map(Death::mode)
                .distinct()
                .flatMap(mode -> Stream.of(
                        Row.of("rank 0, the hub", mode, deaths, victim -> victim == 0),
                        Row.of("other ranks", mode, deaths, victim -> victim != 0),
                        Row.of("all", mode, deaths, victim -> true)))
                .toList();
        this.limitMs = limitMs;
    }

    /** Returns true if no wait ended later than the limit. */
    boolean isHeld() {
        return rows.stream().allMatch(row -> row.maxMs() <= limitMs);
    }

    Report report() {
        final Table table = Table.of(
                        "victims", "victim", "mode", "kills", "waits", "p50", "p99", "max", "unit", "limit")
                .numbers(value -> String.format(Locale.ROOT, "%.2f", value));
        rows.forEach(row -> table.row(
                row.victim,
                row.mode.toString(),
                row.kills,
                row.waitsNs.getTotalCount(),
                row.percentileMs(MEDIAN),
                row.percentileMs(HIGH),
                row.waitsNs.getTotalCount() == 0 ? null : row.maxMs(),
                "ms",
                limitMs));
        return Environment.report(
                        SCHEMA,
                        "segno bench death",
                        KillableRank.JVM_OPTIONS,
                        List.of("3 ranks", "ms from right before kill -9 until the wait of each other rank had thrown"))
                .put("held", isHeld())
                .add(table)
                .note(String.format(Locale.ROOT, "limit %.0f ms: %s", limitMs, isHeld() ? "held" : "exceeded"));
    }

    /** Results of some of the kills. */
    private static final class Row {
        private final String victim;
        private final Threading mode;
        private final int kills;
        private final Histogram waitsNs = new Histogram(DIGITS);
        private long maxNs;

        private Row(String victim, Threading mode, int kills) {
            this.victim = victim;
            this.mode = mode;
            this.kills = kills;
        }

        static Row of(String name, Threading mode, List<Death> deaths, IntPredicate which) {
            final List<Death> chosen = deaths.stream()
                    .filter(death -> death.mode() == mode && which.test(death.victim()))
                    .toList();
            final Row row = new Row(name, mode, chosen.size());
            chosen.stream().flatMap(death -> death.waitsNs().stream()).forEach(row::add);
            return row;
        }

        private void add(long waitNs) {
            waitsNs.recordValue(waitNs);
            maxNs = Math.max(maxNs, waitNs);
        }

        /** Returns the longest wait, exactly; 0 if there is none. */
        double maxMs() {
            return maxNs / NS_PER_MS;
        }

        @Nullable
        Double percentileMs(double percentile) {
            // The histogram rounds up, possibly beyond the longest wait.
            return waitsNs.getTotalCount() == 0
                    ? null
                    : Math.min(maxNs, waitsNs.getValueAtPercentile(percentile)) / NS_PER_MS;
        }
    }
}
