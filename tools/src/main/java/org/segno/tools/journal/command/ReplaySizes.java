package org.segno.tools.journal.command;

import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.segno.engine.descriptor.Descriptor;
import org.segno.tools.journal.Journal;
import org.segno.tools.journal.JournalHeader;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.journal.PatternSections.Section;

/**
 * Lengths that the memory of a replay depends on. They are those of all ranks, so that all have equal windows.
 *
 * @param longest bytes of the longest operation of any rank
 * @param sections bytes of all sections of a rank, the most of any rank, each operation with its metadata
 * @param hasPayloads true if the journal has payloads
 */
record ReplaySizes(long longest, long sections, boolean hasPayloads) {
    private static final long SHORTEST = 64;

    /** Reads a whole journal. */
    static ReplaySizes of(Path directory) {
        long longest = SHORTEST;
        final Map<Integer, Long> bytes = new HashMap<>();
        final Set<Section> known = Collections.newSetFromMap(new IdentityHashMap<>());
        try (Journal journal = JournalFile.open(directory, rank -> true)) {
            for (JournalRecord record = JournalFile.next(journal); record != null; record = JournalFile.next(journal)) {
                for (int i = 0; i < record.descriptors(); i++) {
                    longest = Math.max(longest, new RecordedOperation(record.words(i)).bytes());
                }
                final Section section = record.section();
                if (section != null && known.add(section)) {
                    bytes.merge(record.rank(), length(section), Long::sum);
                }
            }
            return new ReplaySizes(
                    aligned(longest),
                    bytes.values().stream().mapToLong(Long::longValue).max().orElse(0),
                    journal.headers().stream().anyMatch(JournalHeader::hasPayloads));
        }
    }

    private static long length(Section section) {
        return section.descriptors().stream()
                .mapToLong(words -> room(new RecordedOperation(words)))
                .sum();
    }

    /** Returns the room for what an operation moves. */
    static long room(RecordedOperation operation) {
        return aligned(operation.bytes()) + (operation.hasMetadataInMemory() ? Descriptor.MAX_METADATA_LENGTH : 0);
    }

    static long aligned(long bytes) {
        return (bytes + SHORTEST - 1) & -SHORTEST;
    }
}
