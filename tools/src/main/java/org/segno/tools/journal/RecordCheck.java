package org.segno.tools.journal;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.trace.TraceRecord;

/** Check of a record whose checksum is right: its kind is known, and its length is that of its contents. */
final class RecordCheck {
    private RecordCheck() {}

    /** Returns what is wrong with a record, or null. */
    static @Nullable String flaw(ByteBuffer record) {
        final int kind = record.get(JournalFormat.BODY_OFFSET);
        final long rest = record.limit() - (long) JournalFormat.BODY_END;
        final long count = record.getInt(JournalFormat.BODY_OFFSET + TraceRecord.COUNT_OFFSET);
        final long expected = switch (kind) {
            case TraceRecord.DESCRIPTORS, TraceRecord.REFUSED -> count * Descriptor.LENGTH;
            case TraceRecord.SECTION -> sectionPart(record, rest, count);
            case TraceRecord.PAYLOAD -> count;
            case TraceRecord.ROUND, TraceRecord.LATE_REFUSAL, TraceRecord.LOST, JournalFormat.END -> 0;
            case JournalFormat.HEADER -> headerLength(record);
            default -> -1;
        };
        if (expected == -1) {
            return "the record has the unknown kind " + kind;
        }
        return expected == rest ? null : "the record of kind " + kind + " has " + rest + " bytes of contents";
    }

    /** Returns the length that a part of a section should have: {@code rest} if it lies in the section. */
    private static long sectionPart(ByteBuffer record, long rest, long total) {
        final long first = record.getLong(JournalFormat.BODY_OFFSET + TraceRecord.POSITION_OFFSET);
        final long part = rest / Descriptor.LENGTH;
        final boolean isInside = first >= 0 && first <= total - part && rest % Descriptor.LENGTH == 0;
        return isInside ? rest : Long.MAX_VALUE;
    }

    private static long headerLength(ByteBuffer record) {
        if (record.limit() < JournalFormat.MIN_HEADER_LENGTH) {
            return Long.MAX_VALUE;
        }
        final int nameOffset = JournalFormat.nameOffset(record.getInt(JournalFormat.VERSION_OFFSET));
        final long name = record.getInt(JournalFormat.NAME_LENGTH_OFFSET);
        return name < 0 ? Long.MAX_VALUE : nameOffset - (long) JournalFormat.BODY_END + name;
    }
}
