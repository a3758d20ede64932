package org.segno.tools.journal.command;

import java.nio.file.Path;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.fifo.LaneRecord;
import org.segno.engine.memory.NodeDimensions;
import org.segno.node.NodeConfig;
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
 * @param longestMessage bytes of metadata and payload of the longest message of any rank
 * @param patterns patterns of a rank at one time, the most of any rank
 * @param sectionSlots descriptors of the sections of a rank at one time, the most of any rank
 */
record ReplaySizes(
        long longest, long sections, boolean hasPayloads, long longestMessage, int patterns, long sectionSlots) {
    private static final long SHORTEST = 64;

    /** Free part of a pattern buffer, so that sections of various lengths find adjacent slots. */
    private static final int ROOM_FACTOR = 2;

    /** Lengths of one rank while its journal is read. */
    private static final class Rank {
        private final Set<Section> known = Collections.newSetFromMap(new IdentityHashMap<>());

        /** Descriptors of the present section of each context and index. */
        private final Map<Long, Integer> present = new HashMap<>();

        private long bytes;
        private long slots;
        private long mostSlots;

        void add(Section section) {
            if (known.add(section)) {
                final int length = section.descriptors().size();
                final long key = (long) section.context() << Integer.SIZE | section.index();
                final Integer before = present.put(key, length);
                bytes += length(section);
                // The slots of the pattern before are free only when the new one has its own.
                mostSlots = Math.max(mostSlots, slots + length);
                slots += length - (before == null ? 0 : before);
            }
        }
    }

    /** Reads a whole journal. */
    static ReplaySizes of(Path directory) {
        long longest = SHORTEST;
        long longestMessage = 0;
        final Map<Integer, Rank> ranks = new HashMap<>();
        try (Journal journal = JournalFile.open(directory, rank -> true)) {
            for (JournalRecord record = JournalFile.next(journal); record != null; record = JournalFile.next(journal)) {
                for (int i = 0; i < record.descriptors(); i++) {
                    final RecordedOperation operation = new RecordedOperation(record.words(i));
                    longest = Math.max(longest, operation.bytes());
                    if (operation.isMessage()) {
                        longestMessage = Math.max(longestMessage, operation.metadataLength() + operation.bytes());
                    }
                }
                final Section section = record.section();
                if (section != null) {
                    ranks.computeIfAbsent(record.rank(), rank -> new Rank()).add(section);
                }
            }
            return new ReplaySizes(
                    aligned(longest),
                    ranks.values().stream().mapToLong(rank -> rank.bytes).max().orElse(0),
                    journal.headers().stream().anyMatch(JournalHeader::hasPayloads),
                    longestMessage,
                    ranks.values().stream()
                            .mapToInt(rank -> rank.present.size())
                            .max()
                            .orElse(0),
                    ranks.values().stream()
                            .mapToLong(rank -> rank.mostSlots)
                            .max()
                            .orElse(0));
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

    /**
     * Returns a configuration with lanes and a pattern buffer that are long enough, where those of a program with
     * settings of its own were longer than the default ones.
     */
    NodeConfig fit(NodeConfig config, int size) {
        NodeConfig fitted = config;
        int lane = NodeDimensions.MIN_LANE_BYTES;
        while (lane < NodeDimensions.MAX_LANE_BYTES && LaneRecord.maxBodyLength(lane) < longestMessage) {
            lane *= 2;
        }
        if ((long) lane * size > NodeConfig.DEFAULT_LANE_BUDGET_BYTES) {
            fitted = fitted.withLaneBudgetBytes((long) lane * size);
        }
        final long buffer = ROOM_FACTOR * sectionSlots * Descriptor.LENGTH;
        if (buffer > NodeConfig.DEFAULT_PATTERN_BUFFER_BYTES) {
            fitted = fitted.withPatternBufferBytes(buffer);
        }
        return patterns > NodeConfig.DEFAULT_PATTERNS ? fitted.withPatterns(patterns) : fitted;
    }
}
