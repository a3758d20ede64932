package org.segno.tools.journal.command;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.journal.PatternSections.Section;
import org.segno.tools.output.Quantity;
import org.segno.tools.output.Table;

/**
 * Statistic of the patterns of a journal. What a replay saves is the difference between the time of a recorded round,
 * in which the application injects each descriptor, and that of a replayed one. Used by one thread.
 */
final class PatternStatistic {
    private static final double NS_PER_US = 1e3;
    private static final double PERCENT = 100;
    private static final double MEDIAN = 50;
    private static final int DIGITS = 3;

    /**
     * Pattern of a rank. Its id is not known before its first replay, so its index identifies it until then.
     *
     * @param rank rank
     * @param context context
     * @param index index of the pattern
     */
    private record Key(int rank, int context, int index) implements Comparable<Key> {
        @Override
        public int compareTo(Key other) {
            final int byRank = Integer.compare(rank, other.rank);
            final int byContext = Integer.compare(context, other.context);
            return byRank != 0 ? byRank : byContext != 0 ? byContext : Integer.compare(index, other.index);
        }
    }

    private static final class Row {
        private final Histogram recorded = new Histogram(DIGITS);
        private final Histogram replayed = new Histogram(DIGITS);
        private @Nullable Section section;
        private long withoutSection;
        private long abandoned;
    }

    /** Rows by index, in the order of their times: patterns have the same index one after the other. */
    private final Map<Key, List<Row>> rows = new TreeMap<>();

    /** Adds a record. */
    void add(JournalRecord record) {
        switch (record.kind()) {
            case SECTION -> addSection(record);
            case ROUND -> {
                final Row row = isOfNext(record) ? newRow(record) : row(record);
                (record.isRecording() ? row.recorded : row.replayed).recordValue(Math.max(0, record.durationNs()));
                row.abandoned += record.isAbandoned() ? 1 : 0;
                if (record.section() == null && !record.isRecording()) {
                    row.withoutSection++;
                }
            }
            default -> {}
        }
    }

    /** Returns true if a round is of another pattern than the rounds of the same index before, or may be. */
    private boolean isOfNext(JournalRecord record) {
        final boolean isUnknown = !record.isRecording() && record.section() == null;
        return record.isFirstRecording() || (isUnknown && row(record).section != null);
    }

    private void addSection(JournalRecord record) {
        final Section section = record.section();
        if (section != null) {
            final Section before = row(record).section;
            (before != null && !before.name().equals(section.name()) ? newRow(record) : row(record)).section = section;
        }
    }

    /** Returns the row of the pattern that has the index of a record at present. */
    private Row row(JournalRecord record) {
        final List<Row> ofIndex = ofIndex(record);
        return ofIndex.isEmpty() ? newRow(record) : ofIndex.get(ofIndex.size() - 1);
    }

    private Row newRow(JournalRecord record) {
        final Row row = new Row();
        ofIndex(record).add(row);
        return row;
    }

    private List<Row> ofIndex(JournalRecord record) {
        return rows.computeIfAbsent(
                new Key(record.rank(), record.context(), record.patternIndex()), unused -> new ArrayList<>());
    }

    /** Returns the rows. */
    Table table() {
        final Table table = new Table(
                        "patterns",
                        List.of(
                                "rank",
                                "pattern",
                                "descriptors",
                                "bytes",
                                "recorded",
                                "replayed",
                                "abandoned",
                                "injectedAnewUs",
                                "replayUs",
                                "savedPercent",
                                "entriesSaved"))
                .numbers(Quantity::ofFigure);
        rows.forEach((key, ofIndex) -> ofIndex.forEach(row -> {
            final Section section = row.section;
            final double anew = median(row.recorded);
            final double replay = median(row.replayed);
            table.row(
                    key.rank(),
                    section == null ? "?" : section.name(),
                    section == null ? null : section.descriptors().size(),
                    section == null ? null : section.bytes(),
                    row.recorded.getTotalCount(),
                    row.replayed.getTotalCount(),
                    row.abandoned,
                    anew,
                    replay,
                    (anew - replay) / anew * PERCENT,
                    // One entry of a ring in place of each descriptor; of rounds whose section was lost it is unknown.
                    section == null
                            ? null
                            : (Long) ((row.replayed.getTotalCount() - row.withoutSection)
                                    * (section.descriptors().size() - 1L)));
        }));
        return table;
    }

    private static double median(Histogram times) {
        return times.getTotalCount() == 0 ? Double.NaN : times.getValueAtPercentile(MEDIAN) / NS_PER_US;
    }
}
