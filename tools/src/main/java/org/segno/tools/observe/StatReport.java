package org.segno.tools.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.segno.engine.memory.NodeLayout;
import org.segno.tools.output.Report;
import org.segno.tools.output.Table;

/** Report of {@code segno stat}: the counts of a job at one time, or their rates between two times. */
final class StatReport {
    static final String SCHEMA = "segno-stat-1";

    /** Counts that are printed without {@code --filter}. The rest is rarely other than zero. */
    private static final List<String> USUAL =
            List.of("descriptors", "bytes", "records", "received", "replays", "blocked", "refused");

    private static final double NS_PER_S = 1e9;

    private final ObservedJob job;
    private final List<Count> counts;
    private final boolean withFifos;
    private final boolean withErrors;
    private final boolean withLinks;
    private long beforeNs;
    private long[] before = {};

    /** Creates a report of the counts that {@code filter} accepts by name, or of the usual ones if it is null. */
    StatReport(ObservedJob job, @Nullable Predicate<String> filter, Parts parts) {
        this.job = job;
        this.counts = Count.all().stream()
                .filter(count -> filter == null ? USUAL.contains(count.name()) : filter.test(count.name()))
                .toList();
        this.withFifos = parts.fifos;
        this.withErrors = parts.errors;
        this.withLinks = parts.links;
    }

    /**
     * Tables beside that of the nodes.
     *
     * @param fifos fill of FIFOs and lanes
     * @param links counts of links over Aeron
     * @param errors logged errors
     */
    record Parts(boolean fifos, boolean links, boolean errors) {}

    /** Returns true if no count passes the filter. */
    boolean isEmpty() {
        return counts.isEmpty();
    }

    /** Samples the counts from which the next rates are computed. */
    void look() {
        beforeNs = System.nanoTime();
        before = values();
    }

    private long[] values() {
        return job.ranks().stream()
                .flatMapToLong(rank -> counts.stream().mapToLong(count -> count.of(rank.memory())))
                .toArray();
    }

    /** Returns the current counts or, with {@code rates}, the increment of each per second since the last sample. */
    Report report(boolean rates) {
        final double seconds = (System.nanoTime() - beforeNs) / NS_PER_S;
        final long[] now = values();
        final Report report = new Report(SCHEMA, job.describe())
                .put("job", job.fullName())
                .put("ranks", job.size())
                .put("standing", job.standing())
                .put("layout", NodeLayout.VERSION);
        if (rates) {
            report.put("seconds", seconds);
        }
        report.add(ranks(now, rates, seconds));
        if (withFifos) {
            report.add("FIFOs and lanes", fifos());
        }
        if (withLinks) {
            report.add("links over Aeron, of each process since its start", links());
        }
        if (withErrors) {
            report.add(errorCount() == 0 ? "no errors logged" : "errors", errors());
        }
        return report;
    }

    private Table ranks(long[] now, boolean rates, double seconds) {
        final List<String> columns = new ArrayList<>(List.of("rank", "pid", "state", "heartbeatMs"));
        counts.forEach(count -> columns.add(count.name() + (rates ? "PerS" : "")));
        columns.addAll(List.of("errors", "fullestFifo"));
        final Table table = new Table("nodes", columns);
        int index = 0;
        for (final ObservedRank rank : job.ranks()) {
            final List<@Nullable Object> row = new ArrayList<>();
            row.add(rank.rank());
            row.add(rank.identity().pid());
            row.add(rank.state());
            row.add(rounded(rank.heartbeatMs()));
            for (int i = 0; i < counts.size(); i++, index++) {
                final long value = now[index];
                row.add(rates ? Math.round((value - before[index]) / seconds) : value);
            }
            row.add(ErrorEntry.read(rank.memory()).entries().size());
            row.add(fullest(rank));
            table.row(row.toArray());
        }
        return table;
    }

    private static @Nullable Double rounded(@Nullable Double value) {
        return value == null ? null : Double.valueOf(Math.round(value * 10) / 10.0);
    }

    private static String fullest(ObservedRank rank) {
        final double percent = FifoFill.injection(rank.memory()).stream()
                .mapToDouble(FifoFill::percent)
                .max()
                .orElse(0);
        return Math.round(percent) + "%";
    }

    private Table fifos() {
        final Table table =
                Table.of("fifos", "rank", "context", "ring", "state", "waiting", "capacity", "unit", "fill");
        for (final ObservedRank rank : job.ranks()) {
            final List<FifoFill> fills = new ArrayList<>(FifoFill.injection(rank.memory()));
            fills.addAll(FifoFill.lanes(rank.memory()));
            for (final FifoFill fill : fills) {
                table.row(
                        rank.rank(),
                        fill.context(),
                        fill.ring(),
                        fill.state(),
                        fill.waiting(),
                        fill.capacity(),
                        fill.unit(),
                        Math.round(fill.percent()) + "%");
            }
        }
        return table;
    }

    private Table links() {
        final List<String> columns = new ArrayList<>(List.of("rank", "pid"));
        columns.addAll(LinkCounts.names());
        final Table table = new Table("links", columns);
        for (final ObservedRank rank : job.ranks()) {
            final long pid = rank.identity().pid();
            LinkCounts.of(rank).ifPresent(counts -> {
                final List<@Nullable Object> row = new ArrayList<>(List.of(rank.rank(), pid));
                row.addAll(counts.values());
                table.row(row.toArray());
            });
        }
        return table;
    }

    private Table errors() {
        final Table table = Table.of("errors", "rank", "count", "first", "last", "error");
        for (final ObservedRank rank : job.ranks()) {
            for (final ErrorEntry entry : ErrorEntry.read(rank.memory()).entries()) {
                table.row(rank.rank(), entry.count(), entry.first(), entry.last(), entry.headline());
            }
        }
        return table;
    }

    /** Returns the number of distinct errors that the nodes have logged. */
    int errorCount() {
        return job.ranks().stream()
                .mapToInt(rank -> ErrorEntry.read(rank.memory()).entries().size())
                .sum();
    }
}
