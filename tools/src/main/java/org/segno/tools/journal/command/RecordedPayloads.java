package org.segno.tools.journal.command;

import java.io.ByteArrayOutputStream;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.segno.tools.journal.JournalRecord;

/**
 * Payloads and metadata in the journal of one rank, each from its own records until the record of the descriptor or the
 * round that has moved it. Used by one thread.
 */
final class RecordedPayloads {
    /**
     * Names what a descriptor has moved.
     *
     * @param context of its FIFO
     * @param fifo number of its FIFO
     * @param pattern index of its pattern, or -1
     * @param generation of its round, or 0
     * @param position in its FIFO or section
     * @param isMetadata true for its metadata
     */
    private record Key(int context, int fifo, int pattern, long generation, long position, boolean isMetadata) {
        static Key of(JournalRecord record, long position, boolean isMetadata) {
            return new Key(
                    record.context(), record.fifo(), record.patternIndex(), record.generation(), position, isMetadata);
        }
    }

    private final Map<Key, ByteArrayOutputStream> parts = new HashMap<>();

    /** Adds the part in a record. A part before which another one was lost is dropped. */
    void add(JournalRecord record) {
        final Key key = Key.of(record, record.position(), record.isMetadata());
        if (record.payloadOffset() == 0) {
            parts.put(key, new ByteArrayOutputStream());
        }
        final ByteArrayOutputStream before = parts.get(key);
        if (before != null && before.size() == record.payloadOffset()) {
            before.writeBytes(record.payload());
        }
    }

    /**
     * Returns what a descriptor has moved, and forgets it.
     *
     * @param record that has the descriptor, or the round in which it was replayed
     * @param position of the descriptor in its FIFO or section
     */
    RecordedContent take(JournalRecord record, long position) {
        return new RecordedContent(bytes(record, position, false), bytes(record, position, true));
    }

    private byte @Nullable [] bytes(JournalRecord record, long position, boolean isMetadata) {
        final ByteArrayOutputStream known = parts.isEmpty() ? null : parts.remove(Key.of(record, position, isMetadata));
        return known == null ? null : known.toByteArray();
    }
}
