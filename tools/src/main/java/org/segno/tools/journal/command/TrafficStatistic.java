package org.segno.tools.journal.command;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.journal.PatternSections;
import org.segno.tools.journal.PatternSections.Section;
import org.segno.tools.output.Table;

/**
 * Counts of a journal by rank, by target rank or by kind. The descriptors of a round are counted with each replay.
 * Used by one thread.
 */
final class TrafficStatistic {
    /** Choice of the rows. */
    enum By {
        RANK,
        PEER,
        KIND,
        PATTERN
    }

    /** Row of descriptors without a target rank. */
    private static final Comparable<?> LOCAL = Integer.MAX_VALUE;

    /** Identity of a pattern. No other pattern has the same rank, context and index at the same time. */
    private record PatternKey(int rank, int context, int index) {
        static PatternKey of(JournalRecord record) {
            return new PatternKey(record.rank(), record.context(), record.patternIndex());
        }
    }

    private final By by;
    private final Map<Comparable<?>, TrafficCount> counts = new TreeMap<>(ORDER);
    private final Map<Section, Map<Comparable<?>, TrafficCount>> bySection = new HashMap<>();

    /** Positions of what was refused in the present round of a pattern: its section has them, too. */
    private final Map<PatternKey, List<Integer>> refusedInRound = new HashMap<>();

    private static final Comparator<Comparable<?>> ORDER =
            (one, other) -> one instanceof Integer a && other instanceof Integer b
                    ? Integer.compare(a, b)
                    : one.toString().compareTo(other.toString());

    TrafficStatistic(By by) {
        this.by = by;
    }

    /** Adds a record. */
    void add(JournalRecord record) {
        switch (record.kind()) {
            case DESCRIPTORS -> {
                for (int i = 0; i < record.descriptors(); i++) {
                    addDescriptor(record, record.words(i));
                }
            }
            case REFUSED -> addRefused(record);
            case ROUND -> addRound(record);
            case LATE_REFUSAL ->
                // The peer reports how many, not which.
                counts.computeIfAbsent(
                                switch (by) {
                                    case RANK, PATTERN -> record.rank();
                                    case PEER -> record.refusingRank();
                                    case KIND -> record.kind().name();
                                },
                                unused -> new TrafficCount())
                        .addRefused(record.refusedOperations());
            case LOST -> {
                if (by == By.RANK) {
                    row(record, new long[1], 0).addLost(record.lostDescriptors());
                }
            }
            default -> {}
        }
    }

    private void addDescriptor(JournalRecord record, long[] words) {
        add(record, words, 1);
        for (int target = 0; target < targets(words); target++) {
            row(record, words, target).at(record.timeNs());
        }
    }

    private void add(JournalRecord record, long[] words, int times) {
        for (int target = 0; target < targets(words); target++) {
            row(record, words, target).add(times, times * PatternSections.bytes(words) / targets(words));
        }
    }

    private void addRefused(JournalRecord record) {
        final TrafficCount row = row(record, record.words(0), 0);
        row.addRefused(1);
        row.at(record.timeNs());
        if (record.isOfPattern() && !record.isRecording()) {
            refusedInRound
                    .computeIfAbsent(PatternKey.of(record), unused -> new ArrayList<>())
                    .add((int) record.position());
        }
    }

    /** Returns the number of rows that a descriptor counts in: by peer, a MULTICAST counts once for each target. */
    private int targets(long[] words) {
        return by == By.PEER && Descriptor.operation(words[0]) == Operation.MULTICAST
                ? Math.max(1, Math.min(Descriptor.targets(words[1]), Descriptor.MAX_TARGETS))
                : 1;
    }

    private void addRound(JournalRecord record) {
        final Section section = record.section();
        if (by == By.RANK) {
            final TrafficCount row = row(record, new long[1], 0);
            row.addRound();
            row.at(record.timeNs());
        }
        final List<Integer> refused =
                Objects.requireNonNullElse(refusedInRound.remove(PatternKey.of(record)), List.of());
        // Those of a recording are in the journal one by one.
        if (section == null || record.isRecording()) {
            return;
        }
        final Map<Comparable<?>, TrafficCount> parts = bySection.computeIfAbsent(section, of -> partsOf(record, of));
        parts.forEach((key, part) -> {
            final TrafficCount row = counts.computeIfAbsent(key, unused -> new TrafficCount());
            row.add(part.descriptors(), part.bytes());
            if (by != By.RANK) {
                row.addRound();
                row.at(record.timeNs());
            }
        });
        subtract(record, section, refused);
    }

    /** Subtracts what a round has not carried out: what was refused, and what follows the WAIT of an abandoned one. */
    private void subtract(JournalRecord record, Section section, List<Integer> refused) {
        final List<long[]> all = section.descriptors();
        int wait = all.size();
        for (final int position : refused) {
            if (position >= 0 && position < all.size()) {
                add(record, all.get(position), -1);
                wait = record.isAbandoned() && Descriptor.operation(all.get(position)[0]) == Operation.WAIT
                        ? position
                        : wait;
            }
        }
        for (int position = wait + 1; position < all.size() - section.arms(); position++) {
            add(record, all.get(position), -1);
        }
    }

    private Map<Comparable<?>, TrafficCount> partsOf(JournalRecord record, Section section) {
        final Map<Comparable<?>, TrafficCount> parts = new HashMap<>();
        for (final long[] words : section.descriptors()) {
            for (int target = 0; target < targets(words); target++) {
                parts.computeIfAbsent(key(record, words, target), unused -> new TrafficCount())
                        .add(1, PatternSections.bytes(words) / targets(words));
            }
        }
        return parts;
    }

    private TrafficCount row(JournalRecord record, long[] words, int target) {
        return counts.computeIfAbsent(key(record, words, target), unused -> new TrafficCount());
    }

    private Comparable<?> key(JournalRecord record, long[] words, int target) {
        final int operation = Descriptor.operation(words[0]);
        return switch (by) {
            case RANK, PATTERN -> record.rank();
            case KIND -> Operation.name(operation);
            case PEER ->
                switch (operation) {
                    case Operation.ARM, Operation.WAIT, Operation.COPY, Operation.COMBINE -> LOCAL;
                    default ->
                        target == 0
                                ? Descriptor.rank(words[0])
                                : Descriptor.furtherRank(Descriptor.furtherTarget(words, 0, target));
                };
        };
    }

    /** Returns the rows. */
    Table table() {
        final Table table = new Table(
                "traffic",
                List.of(
                        by.name().toLowerCase(Locale.ROOT),
                        "descriptors",
                        "rounds",
                        "bytes",
                        "refused",
                        "lost",
                        "seconds",
                        "descriptorsPerS",
                        "megabytesPerS",
                        "longestGapUs"));
        counts.forEach((key, row) -> table.row(row.cells(key.equals(LOCAL) ? "local" : key)));
        return table;
    }
}
