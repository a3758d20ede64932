package org.segno.bench.death;

import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.segno.bench.report.Environment;
import org.segno.node.NodeConfig.Threading;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/**
 * Report of the kills: for each threading one row for all of them, and one each for those of a hub and of other ranks.
 * Of jobs of two hosts, the waits on the victim's host and on the other one have rows of their own.
 */
final class DeathReport {
    private static final String SCHEMA = "segno-bench-death-3";
    private static final String THIS_HOST = "on its host";
    private static final String OTHER_HOST = "on the other host";
    private static final double NS_PER_MS = 1e6;
    private static final double MEDIAN = 50;
    private static final double HIGH = 99;

    /** Significant digits of the percentiles. */
    private static final int DIGITS = 3;

    private final List<Row> rows;
    private final double limitMs;
    private final String job;
    private final String event;

    DeathReport(List<Death> deaths, int hosts, boolean areStopped, double limitMs) {
        this.rows = deaths.stream()
                .map(Death::mode)
                .distinct()
                .flatMap(mode -> rows(mode, deaths, hosts, areStopped))
                .toList();
        this.limitMs = limitMs;
        this.job = hosts == 1 ? "3 ranks" : "4 ranks, 2 on each of 2 hosts joined by links over Aeron";
        this.event = areStopped ? "SIGSTOP to all processes of a host" : "kill -9";
    }

    private static Stream<Row> rows(Threading mode, List<Death> deaths, int hosts, boolean areStopped) {
        if (areStopped) {
            return Stream.of(Row.of("host", OTHER_HOST, mode, deaths, death -> true));
        }
        if (hosts == 1) {
            return Stream.of(
                    Row.of("rank 0, the hub", THIS_HOST, mode, deaths, Death::isHub),
                    Row.of("other ranks", THIS_HOST, mode, deaths, death -> !death.isHub()),
                    Row.of("all", THIS_HOST, mode, deaths, death -> true));
        }
        return Stream.of(OTHER_HOST, THIS_HOST)
                .map(place -> Row.of("ranks that are no hub", place, mode, deaths, death -> true));
    }

    /** Returns true if no wait ended later than the limit. */
    boolean isHeld() {
        return rows.stream().allMatch(row -> row.maxMs() <= limitMs);
    }

    Report report() {
        final Table table = Table.of(
                        "victims", "victim", "waiters", "mode", "kills", "waits", "p50", "p99", "max", "unit", "limit")
                .numbers(value -> String.format(Locale.ROOT, "%.2f", value));
        rows.forEach(row -> table.row(
                row.victim,
                row.waiters,
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
                        List.of(job, "ms from right before " + event + " until the wait of each other rank had thrown"))
                .put("held", isHeld())
                .add(table)
                .note(String.format(Locale.ROOT, "limit %.0f ms: %s", limitMs, isHeld() ? "held" : "exceeded"));
    }

    /** Results of some of the kills. */
    private static final class Row {
        private final String victim;
        private final String waiters;
        private final Threading mode;
        private final int kills;
        private final Histogram waitsNs = new Histogram(DIGITS);
        private long maxNs;

        private Row(String victim, String waiters, Threading mode, int kills) {
            this.victim = victim;
            this.waiters = waiters;
            this.mode = mode;
            this.kills = kills;
        }

        static Row of(String name, String waiters, Threading mode, List<Death> deaths, Predicate<Death> which) {
            final List<Death> chosen = deaths.stream()
                    .filter(death -> death.mode() == mode && which.test(death))
                    .toList();
            final Row row = new Row(name, waiters, mode, chosen.size());
            chosen.stream()
                    .flatMap(death -> death.waits().stream())
                    .filter(wait -> wait.isOnVictimsHost() == waiters.equals(THIS_HOST))
                    .forEach(wait -> row.add(wait.ns()));
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
