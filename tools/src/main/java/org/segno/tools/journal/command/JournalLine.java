package org.segno.tools.journal.command;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.FlagNames;
import org.segno.engine.descriptor.Operation;
import org.segno.status.Refusal;
import org.segno.tools.inspect.record.DescriptorText;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.journal.PatternSections.Section;
import org.segno.tools.journal.RecordKind;

/**
 * One line about a journal: a descriptor, a round, or records that are missing.
 *
 * @param index sequence number of the record in the journal of its rank
 * @param timeNs time in nanoseconds since 1970
 * @param rank rank
 * @param fifo context and number of the FIFO
 * @param position in the FIFO or section; null for a line about something else
 * @param kind operation, or kind of the record
 * @param flags of the descriptor
 * @param peers target ranks
 * @param to target ranks and contexts
 * @param from source
 * @param target counter, dispatch id or local target
 * @param bytes that it moves to each target, of a round those of all its descriptors; null if unknown
 * @param pattern name of the pattern; - outside patterns, ? while it is not known
 * @param round generation; null outside rounds
 * @param result what happened to it
 */
record JournalLine(
        long index,
        long timeNs,
        int rank,
        String fifo,
        @Nullable Long position,
        String kind,
        String flags,
        List<Integer> peers,
        String to,
        String from,
        String target,
        @Nullable Long bytes,
        String pattern,
        @Nullable Long round,
        String result) {
    /** Names of the columns, those of {@link #cells}. */
    static final List<String> COLUMNS = List.of(
            "index",
            "timeUs",
            "rank",
            "fifo",
            "position",
            "kind",
            "flags",
            "to",
            "from",
            "target",
            "bytes",
            "pattern",
            "round",
            "result");

    /** Kinds of lines. */
    static final Set<String> KINDS = Stream.concat(
                    IntStream.rangeClosed(Operation.PUT, Operation.MULTICAST).mapToObj(Operation::name),
                    Stream.of("ROUND", "LATE_REFUSAL", "LOST", "PAYLOAD"))
            .collect(Collectors.toCollection(TreeSet::new));

    private static final String NONE = "-";
    private static final double NS_PER_US = 1_000;

    /** Passes the lines of a record to {@code lines}. */
    static void of(JournalRecord record, Consumer<JournalLine> lines) {
        if (record.descriptors() == 0) {
            final JournalLine line = single(record);
            if (line != null) {
                lines.accept(line);
            }
            return;
        }
        for (int i = 0; i < record.descriptors(); i++) {
            lines.accept(descriptor(record, i));
        }
    }

    private static JournalLine descriptor(JournalRecord record, int number) {
        final Descriptor descriptor = record.descriptor(number);
        final String to = DescriptorText.to(descriptor);
        return new JournalLine(
                record.sequence(),
                record.timeNs(),
                record.rank(),
                record.context() + "." + record.fifo(),
                record.position() + number,
                Operation.name(descriptor.operation()),
                FlagNames.of(record.head(number)),
                peers(descriptor, to),
                to,
                DescriptorText.from(descriptor),
                DescriptorText.target(descriptor),
                DescriptorText.bytes(descriptor),
                pattern(record),
                record.generation() == 0 ? null : (Long) record.generation(),
                switch (record.kind()) {
                    case REFUSED -> "refused: " + Refusal.reason(record.refusal());
                    case SECTION -> "section";
                    default -> record.isRecording() ? "recorded" : "executed";
                });
    }

    private static List<Integer> peers(Descriptor descriptor, String to) {
        if (to.equals(NONE)) {
            return List.of();
        }
        if (descriptor.operation() != Operation.MULTICAST) {
            return List.of(descriptor.rank());
        }
        return IntStream.range(0, Math.min(descriptor.targets(), Descriptor.MAX_TARGETS))
                .mapToObj(descriptor::targetRank)
                .toList();
    }

    private static String pattern(JournalRecord record) {
        if (!record.isOfPattern()) {
            return NONE;
        }
        final Section section = record.section();
        return section == null ? "?" : section.name();
    }

    private static @Nullable JournalLine single(JournalRecord record) {
        return switch (record.kind()) {
            case ROUND -> round(record);
            case LATE_REFUSAL ->
                other(
                        record,
                        "LATE_REFUSAL",
                        List.of(record.refusingRank()),
                        Long.toString(record.refusedOperations()),
                        record.refusedOperations() + " operations refused by rank " + record.refusingRank() + ": "
                                + Refusal.reason(record.refusal()));
            case LOST ->
                other(
                        record,
                        "LOST",
                        List.of(),
                        NONE,
                        String.format(
                                Locale.ROOT,
                                "%,d descriptors, %,d rounds and %,d bytes of payloads are missing",
                                record.lostDescriptors(),
                                record.lostRounds(),
                                record.lostBytes()));
            case PAYLOAD ->
                new JournalLine(
                        record.sequence(),
                        record.timeNs(),
                        record.rank(),
                        record.context() + "." + record.fifo(),
                        record.position(),
                        "PAYLOAD",
                        NONE,
                        List.of(),
                        NONE,
                        checksum(record.payload()),
                        record.isMetadata() ? "metadata" : "offset " + record.payloadOffset(),
                        (long) record.payload().length,
                        pattern(record),
                        record.generation() == 0 ? null : (Long) record.generation(),
                        "executed");
            default -> null;
        };
    }

    /** Returns a line about a payload with all of its bytes in place of those of one part. */
    JournalLine withPayload(byte[] all) {
        return new JournalLine(
                index,
                timeNs,
                rank,
                fifo,
                position,
                kind,
                flags,
                peers,
                to,
                checksum(all),
                target,
                (long) all.length,
                pattern,
                round,
                result);
    }

    /** Returns the CRC32C of a payload, so that other bytes make another line. */
    private static String checksum(byte[] payload) {
        final CRC32C sum = new CRC32C();
        sum.update(payload);
        return String.format(Locale.ROOT, "crc %08x", sum.getValue());
    }

    private static JournalLine round(JournalRecord record) {
        final Section section = record.section();
        final String count = section == null || record.isRecording()
                ? ""
                : " " + section.descriptors().size() + " descriptors";
        return new JournalLine(
                record.sequence(),
                record.timeNs(),
                record.rank(),
                record.context() + "." + record.fifo(),
                null,
                RecordKind.ROUND.name(),
                NONE,
                List.of(),
                NONE,
                NONE,
                NONE,
                section == null || record.isRecording() ? null : (Long) section.bytes(),
                pattern(record),
                record.generation(),
                (record.isAbandoned() ? "abandoned" : record.isRecording() ? "recorded" : "replayed") + count + " in "
                        + micros(record.durationNs()) + " us");
    }

    private static JournalLine other(
            JournalRecord record, String kind, List<Integer> peers, String target, String result) {
        return new JournalLine(
                record.sequence(),
                record.timeNs(),
                record.rank(),
                NONE,
                null,
                kind,
                NONE,
                peers,
                NONE,
                NONE,
                target,
                null,
                NONE,
                null,
                result);
    }

    private static String micros(long ns) {
        return String.format(Locale.ROOT, "%.3f", ns / NS_PER_US);
    }

    /** Returns the cells, with the time in microseconds since {@code startNs}. */
    @Nullable
    Object[] cells(long startNs) {
        return new @Nullable Object[] {
            index,
            (timeNs - startNs) / NS_PER_US,
            rank,
            fifo,
            position,
            kind,
            flags,
            to,
            from,
            target,
            bytes,
            pattern,
            round,
            result
        };
    }
}
