package org.segno.tools.journal;

import java.nio.ByteBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.memory.MappedMemory;
import org.segno.engine.memory.Memory;
import org.segno.engine.trace.TraceRecord;
import org.segno.tools.journal.PatternSections.Section;

/**
 * One record of a journal, a view that is valid until the journal advances. Which methods apply depends on
 * {@link #kind}. Used by one thread.
 */
public final class JournalRecord {
    private final JournalHeader header;
    private final PatternSections sections;
    private Memory memory = MappedMemory.ofProcess(1 << 12);
    private MutableDirectBuffer buffer = memory.buffer(0, 1 << 12);
    private final int body = JournalFormat.BODY_OFFSET;
    private RecordKind kind = RecordKind.END;
    private int length;

    JournalRecord(JournalHeader header, PatternSections sections) {
        this.header = header;
        this.sections = sections;
    }

    /** Copies a checked record. */
    void copy(ByteBuffer record) {
        length = record.limit();
        if (memory.length() < length) {
            final int capacity = Math.max(length, (int) Math.min(Integer.MAX_VALUE, 2 * memory.length()));
            memory = MappedMemory.ofProcess(capacity);
            buffer = memory.buffer(0, capacity);
        }
        buffer.putBytes(0, record, 0, length);
        kind = RecordKind.of(memory.getByte(body));
    }

    /** Returns the kind of the record. */
    public RecordKind kind() {
        return kind;
    }

    /** Returns the rank whose journal has the record. */
    public int rank() {
        return header.rank();
    }

    /** Returns the number of the record in the journal of its rank; the header is record 0. */
    public long sequence() {
        return memory.getLong(JournalFormat.SEQUENCE_OFFSET);
    }

    /**
     * Returns the time in nanoseconds since 1970. Times of one rank have the resolution of {@link System#nanoTime};
     * those of ranks of several processes differ by the error of their clocks.
     */
    public long timeNs() {
        return header.sinceEpochNs(memory.getLong(body + TraceRecord.TIME_OFFSET));
    }

    /** Returns the context of the FIFO. */
    public int context() {
        return memory.getShort(body + TraceRecord.CONTEXT_OFFSET) & 0xFFFF;
    }

    /** Returns the number of the FIFO in its context. */
    public int fifo() {
        return memory.getInt(body + TraceRecord.FIFO_OFFSET);
    }

    /** Returns the position of the first descriptor in its FIFO or section. */
    public long position() {
        return kind == RecordKind.PAYLOAD
                ? memory.getLong(body + TraceRecord.DESCRIPTORS_OFFSET)
                : memory.getLong(body + TraceRecord.POSITION_OFFSET);
    }

    /** Returns the round of a pattern to which the record belongs, 0 outside patterns. */
    public long generation() {
        return kind == RecordKind.LOST || kind == RecordKind.END
                ? 0
                : memory.getLong(body + TraceRecord.GENERATION_OFFSET);
    }

    /** Returns true if the record belongs to a pattern. */
    public boolean isOfPattern() {
        return patternIndex() != TraceRecord.NO_PATTERN;
    }

    /** Returns the index of the pattern among those of its context, -1 outside patterns. */
    public int patternIndex() {
        return memory.getInt(body + TraceRecord.PATTERN_OFFSET);
    }

    /**
     * Returns the section of the pattern, as it was before this record; null outside patterns, while it is being
     * recorded for the first time, and for a round whose section is missing in the journal.
     */
    public @Nullable Section section() {
        return isOfPattern() && !has(TraceRecord.UNKNOWN_SECTION) ? sections.section(context(), patternIndex()) : null;
    }

    /** Returns true if the round was recorded, false if it was replayed. */
    public boolean isRecording() {
        return has(TraceRecord.RECORDING);
    }

    /** Returns true if the record belongs to the first round of a pattern, which is recorded. */
    public boolean isFirstRecording() {
        return isRecording() && isOfPattern() && generation() == 1;
    }

    /** Returns true for a round that has ended at a WAIT that was refused. */
    public boolean isAbandoned() {
        return has(TraceRecord.ABANDONED);
    }

    private boolean has(int flag) {
        return (memory.getByte(body + TraceRecord.FLAGS_OFFSET) & flag) != 0;
    }

    /** Returns the time between the begin and the end of a round on its engine, in nanoseconds. */
    public long durationNs() {
        return memory.getLong(body + TraceRecord.TIME_OFFSET) - memory.getLong(body + TraceRecord.POSITION_OFFSET);
    }

    /** Returns the number of descriptors in this record. */
    public int descriptors() {
        return switch (kind) {
            case DESCRIPTORS, REFUSED, SECTION -> (length - JournalFormat.BODY_END) / Descriptor.LENGTH;
            default -> 0;
        };
    }

    /** Returns a descriptor of this record, by its number from 0. */
    public Descriptor descriptor(int number) {
        if (number < 0 || number >= descriptors()) {
            throw new IndexOutOfBoundsException("descriptor " + number + " of " + descriptors());
        }
        return new Descriptor(memory).wrap(offset(number));
    }

    /** Returns the name of the operation of a descriptor: {@code PUT}, {@code SEND} and so on. */
    public String operation(int number) {
        return Operation.name(descriptor(number).operation());
    }

    /** Returns the first word of a descriptor, which has the operation, the flags and the rank. */
    public long head(int number) {
        return memory.getLong(offset(number));
    }

    private static long offset(int number) {
        return JournalFormat.BODY_END + (long) number * Descriptor.LENGTH;
    }

    /** Returns the words of a descriptor. */
    public long[] words(int number) {
        final long[] words = new long[Descriptor.LENGTH / Long.BYTES];
        for (int i = 0; i < words.length; i++) {
            words[i] = memory.getLong(offset(number) + (long) i * Long.BYTES);
        }
        return words;
    }

    /** Returns the code of a refusal, see {@link org.segno.status.Refusal#of}. */
    public int refusal() {
        return memory.getInt(body + TraceRecord.CODE_OFFSET);
    }

    /** Returns the rank that has refused operations late. */
    public int refusingRank() {
        return (int) memory.getLong(body + TraceRecord.POSITION_OFFSET);
    }

    /** Returns the number of operations that were refused late. */
    public int refusedOperations() {
        return memory.getInt(body + TraceRecord.DETAIL_OFFSET);
    }

    /** Returns the number of records that are missing here; of {@link RecordKind#END}, all of this rank. */
    public long lostRecords() {
        return memory.getInt(body + TraceRecord.COUNT_OFFSET) & 0xFFFF_FFFFL;
    }

    /** Returns the number of descriptors that are missing here; of {@link RecordKind#END}, all of this rank. */
    public long lostDescriptors() {
        return memory.getLong(body + TraceRecord.DESCRIPTORS_OFFSET);
    }

    /** Returns the number of rounds that are missing here; of {@link RecordKind#END}, all of this rank. */
    public long lostRounds() {
        return memory.getLong(body + TraceRecord.GENERATION_OFFSET);
    }

    /** Returns the bytes of payloads that are missing here; of {@link RecordKind#END}, all of this rank. */
    public long lostBytes() {
        return memory.getLong(body + TraceRecord.POSITION_OFFSET);
    }

    /** Returns the offset of this part in the payload of its descriptor, in bytes. */
    public long payloadOffset() {
        return memory.getLong(body + TraceRecord.POSITION_OFFSET);
    }

    /** Returns true if the bytes are metadata of a message that lay in memory, not its payload. */
    public boolean isMetadata() {
        return kind == RecordKind.PAYLOAD && has(TraceRecord.METADATA);
    }

    /** Returns the bytes of a payload. */
    public byte[] payload() {
        final byte[] bytes = new byte[kind == RecordKind.PAYLOAD ? length - JournalFormat.BODY_END : 0];
        buffer.getBytes(JournalFormat.BODY_END, bytes);
        return bytes;
    }

    /** Returns the id of the pattern in a record of a section. */
    int sectionId() {
        return memory.getInt(body + TraceRecord.CODE_OFFSET);
    }

    /** Returns the descriptors of the whole section in a record of a part of it. */
    int sectionLength() {
        return memory.getInt(body + TraceRecord.COUNT_OFFSET);
    }

    /** Returns the ARMs at the end of a section. */
    int sectionArms() {
        return memory.getInt(body + TraceRecord.DETAIL_OFFSET);
    }
}
