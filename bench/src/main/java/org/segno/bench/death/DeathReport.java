package org.segno.bench.death;

import java.util.List;
import java.util.Locale;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.segno.node.NodeConfig.Threading;

/** Results of the kills as text: all of them, and those of the hub and of other ranks separately. */
final class DeathReport {
    private static final double NS_PER_MS = 1e6;
    private static final double MEDIAN = 0.5;
    private static final double HIGH = 0.99;

    private final List<Row> rows;
    private final double limitMs;

    DeathReport(List<Death> deaths, double limitMs) {
        this.rows = List.of(
                Row.of("rank 0, the hub", deaths, victim -> victim == 0),
                Row.of("other ranks", deaths, victim -> victim != 0),
                Row.of("all", deaths, victim -> true));
        this.limitMs = limitMs;
    }

    /** Returns true if no wait ended later than the limit. */
    boolean isHeld() {
        return rows.stream().allMatch(row -> row.isEmpty() || row.maxMs() <= limitMs);
    }

    String table(@Nullable Threading threading) {
        final StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT,
                "# segno bench death · JDK %s · %d cores · 3 ranks · threading %s%n"
                        + "# ms from right before kill -9 until the wait of each other rank had thrown%n",
                Runtime.version(),
                Runtime.getRuntime().availableProcessors(),
                threading == null ? "as a node chooses" : threading.name().toLowerCase(Locale.ROOT)));
        text.append(String.format(
                Locale.ROOT, "%-16s %6s %6s %9s %9s %9s%n", "victim", "kills", "waits", "p50", "p99", "max"));
        for (final Row row : rows) {
            text.append(row.line());
        }
        return text.append(String.format(Locale.ROOT, "limit %.0f ms: %s%n", limitMs, isHeld() ? "held" : "exceeded"))
                .toString();
    }

    String json() {
        return rows.stream().map(row -> row.json(limitMs)).collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    /** Results of some of the kills, with waits in ascending order. */
    private static final class Row {
        private final String victim;
        private final int kills;
        private final double[] waitsMs;

        private Row(String victim, int kills, double[] waitsMs) {
            this.victim = victim;
            this.kills = kills;
            this.waitsMs = waitsMs;
        }

        static Row of(String name, List<Death> deaths, IntPredicate which) {
            final List<Death> chosen =
                    deaths.stream().filter(death -> which.test(death.victim())).toList();
            final double[] waitsMs = chosen.stream()
                    .flatMap(death -> death.waitsNs().stream())
                    .mapToDouble(waitNs -> waitNs / NS_PER_MS)
                    .sorted()
                    .toArray();
            return new Row(name, chosen.size(), waitsMs);
        }

        boolean isEmpty() {
            return waitsMs.length == 0;
        }

        double maxMs() {
            return waitsMs[waitsMs.length - 1];
        }

        /** Returns the smallest wait that this fraction of all waits does not exceed. */
        double percentileMs(double part) {
            return waitsMs[Math.max(0, (int) Math.ceil(part * waitsMs.length) - 1)];
        }

        String line() {
            if (isEmpty()) {
                return String.format(Locale.ROOT, "%-16s %6d %6d %9s %9s %9s%n", victim, 0, 0, "-", "-", "-");
            }
            return String.format(
                    Locale.ROOT,
                    "%-16s %6d %6d %9.2f %9.2f %9.2f%n",
                    victim,
                    kills,
                    waitsMs.length,
                    percentileMs(MEDIAN),
                    percentileMs(HIGH),
                    maxMs());
        }

        String json(double limitMs) {
            return String.format(
                    Locale.ROOT,
                    "{\"test\": \"death\", \"victim\": \"%s\", \"kills\": %d, \"waits\": %d, \"unit\": \"ms\","
                            + " \"p50\": %s, \"p99\": %s, \"max\": %s, \"limit\": %s}",
                    victim,
                    kills,
                    waitsMs.length,
                    number(isEmpty() ? Double.NaN : percentileMs(MEDIAN)),
                    number(isEmpty() ? Double.NaN : percentileMs(HIGH)),
                    number(isEmpty() ? Double.NaN : maxMs()),
                    number(limitMs));
        }

        private static String number(double value) {
            return Double.isNaN(value) ? "null" : String.format(Locale.ROOT, "%.3f", value);
        }
    }
}
