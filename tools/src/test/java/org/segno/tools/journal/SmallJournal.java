package org.segno.tools.journal;

import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.segno.engine.descriptor.Descriptor;
import org.segno.engine.descriptor.Operation;
import org.segno.engine.job.Platform;
import org.segno.engine.trace.TraceRecord;
import org.segno.engine.trace.TraceRing.Losses;

/**
 * Small journal of a job of two ranks, with fixed contents: rank 0 puts to rank 1, records and replays a pattern, one
 * descriptor is refused, and something is lost; rank 1 sends once.
 */
public final class SmallJournal {
    /** Nanoseconds since 1970 of the start. */
    public static final long EPOCH_NS = 1_700_000_000_000_000_000L;

    private static final int PUT_BYTES = 40;
    private static final int REFUSAL = -22;
    private static final long LENGTH = 64;
    private static final long PAYLOAD = 0x0102030405060708L;

    private final UnsafeBuffer trace = new UnsafeBuffer(new byte[TraceRecord.HEADER_LENGTH + 4 * Descriptor.LENGTH]);
    private final JournalWriter writer;
    private int length;

    private SmallJournal(JournalWriter writer) {
        this.writer = writer;
    }

    /** Writes the journal into a new directory. */
    public static void write(Path directory) {
        write(directory, 0, true);
        write(directory, 1, true);
    }

    /** Writes a journal whose first PUT has another length. */
    public static void writeChanged(Path directory, long length) {
        write(directory, 0, true, length, PAYLOAD);
        write(directory, 1, true);
    }

    /** Writes a journal with other bytes of its payload. */
    public static void writeOtherPayload(Path directory) {
        write(directory, 0, true, LENGTH, ~PAYLOAD);
        write(directory, 1, true);
    }

    /** Writes a journal of two ranks with one PUT of 40 bytes to the other rank in each, in one payload or in two. */
    public static void writePayloads(Path directory, int firstPart) {
        for (int rank = 0; rank < 2; rank++) {
            final JournalHeader header = new JournalHeader(
                    rank, 2, "payloads", false, true, 1, 1, RecordedProcess.of(4711), EPOCH_NS, 1_000);
            directory.toFile().mkdirs();
            try (JournalWriter open = JournalWriter.create(JournalFormat.directory(directory, rank), header)) {
                final SmallJournal journal = new SmallJournal(open);
                journal.payload(0, firstPart);
                if (firstPart < PUT_BYTES) {
                    journal.payload(firstPart, PUT_BYTES);
                }
                journal.begin(TraceRecord.DESCRIPTORS, 2_000, 0, TraceRecord.NO_PATTERN, 0);
                journal.descriptor(Operation.PUT, 0, 1 - rank, 2, PUT_BYTES);
                journal.end(1);
                open.end(new Losses(0, 0, 0, 0), 9_000, true);
            }
        }
    }

    private void payload(int from, int to) {
        begin(TraceRecord.PAYLOAD, 2_000, from, TraceRecord.NO_PATTERN, 0);
        for (int i = from; i < to; i++) {
            trace.putByte(length++, (byte) (3 * i));
        }
        end(to - from);
    }

    /**
     * Writes a journal of one rank, in which pattern 7 and then pattern 8 have the same index. The section of the last
     * round is missing.
     */
    public static void writeReusedIndex(Path directory) {
        final JournalHeader header =
                new JournalHeader(0, 1, "reused", true, false, 1, 1, RecordedProcess.of(4711), EPOCH_NS, 1_000);
        directory.toFile().mkdirs();
        try (JournalWriter open = JournalWriter.create(JournalFormat.directory(directory, 0), header)) {
            final SmallJournal journal = new SmallJournal(open);
            for (int id = 7; id <= 8; id++) {
                journal.round(1_000L * id, 1, TraceRecord.RECORDING);
                journal.begin(TraceRecord.SECTION, 1_000L * id + 100, 0, 0, 0);
                journal.trace.putInt(TraceRecord.CODE_OFFSET, id);
                journal.descriptor(Operation.PUT, 0, 0, 2, 16);
                journal.end(1);
                journal.round(1_000L * id + 200, 2, 0);
            }
            journal.round(9_000, 1, TraceRecord.UNKNOWN_SECTION);
            open.end(new Losses(0, 0, 0, 0), 9_000, true);
        }
    }

    /**
     * Writes a journal of one rank with two rounds of a pattern of a PUT, a WAIT and another PUT. The first PUT is
     * refused in both, and the WAIT in the second one.
     */
    public static void writeRefusedRounds(Path directory) {
        final JournalHeader header =
                new JournalHeader(0, 1, "refused", true, false, 1, 1, RecordedProcess.of(4711), EPOCH_NS, 1_000);
        directory.toFile().mkdirs();
        try (JournalWriter open = JournalWriter.create(JournalFormat.directory(directory, 0), header)) {
            final SmallJournal journal = new SmallJournal(open);
            journal.begin(TraceRecord.SECTION, 2_000, 0, 0, 0);
            journal.trace.putInt(TraceRecord.CODE_OFFSET, 7);
            journal.descriptor(Operation.PUT, 0, 0, 2, 16);
            journal.descriptor(Operation.WAIT, 0, 0, 1, 16);
            journal.descriptor(Operation.PUT, 0, 0, 2, LENGTH);
            journal.end(3);
            for (int round = 1; round <= 2; round++) {
                journal.refused(round, 0, Operation.PUT, 16);
                if (round == 2) {
                    journal.refused(round, 1, Operation.WAIT, 16);
                }
                journal.round(3_000L * round, round, round == 2 ? TraceRecord.ABANDONED : 0);
            }
            open.end(new Losses(0, 0, 0, 0), 9_000, true);
        }
    }

    private void refused(int round, int position, int operation, long value) {
        begin(TraceRecord.REFUSED, 3_000L * round - 100, position, 0, round);
        trace.putInt(TraceRecord.CODE_OFFSET, REFUSAL);
        descriptor(operation, 0, 0, 2, value);
        end(1);
    }

    /** Writes a journal of one rank without its last record, as if by a process that may still run. */
    public static void writeOpen(Path directory, long pid) {
        final RecordedProcess own = RecordedProcess.own();
        final RecordedProcess process = new RecordedProcess(pid, own.namespace(), Platform.startTime(pid), own.boot());
        final JournalHeader header = new JournalHeader(0, 2, "open", true, false, 1, 1, process, EPOCH_NS, 1_000);
        directory.toFile().mkdirs();
        try (JournalWriter open = JournalWriter.create(JournalFormat.directory(directory, 0), header)) {
            new SmallJournal(open).round(2_000, 1, 0);
            open.end(new Losses(0, 0, 0, 0), 9_000, false);
        }
    }

    private void round(long timeNs, long generation, int flags) {
        begin(TraceRecord.ROUND, timeNs, timeNs - 50, 0, generation);
        trace.putByte(TraceRecord.FLAGS_OFFSET, (byte) flags);
        end(0);
    }

    /** Writes the journal of one rank, with or without its last record. */
    public static void write(Path directory, int rank, boolean isComplete) {
        write(directory, rank, isComplete, LENGTH, PAYLOAD);
    }

    private static void write(Path directory, int rank, boolean isComplete, long firstLength, long payload) {
        final JournalHeader header = new JournalHeader(
                rank, 2, "small-0123456789abcdef", false, true, 1, 1, RecordedProcess.of(4711), EPOCH_NS, 1_000);
        directory.toFile().mkdirs();
        try (JournalWriter open = JournalWriter.create(JournalFormat.directory(directory, rank), header)) {
            new SmallJournal(open).write(rank, firstLength, payload);
            if (isComplete) {
                open.end(new Losses(rank, 3L * rank, 0, 0), 9_000, true);
            }
        }
    }

    private void write(int rank, long firstLength, long payload) {
        if (rank == 1) {
            begin(TraceRecord.DESCRIPTORS, 2_500, 0, TraceRecord.NO_PATTERN, 0);
            descriptor(Operation.SEND, Descriptor.IMMEDIATE, 0, 3L | 8L << 40, 0x4142434445464748L);
            end(1);
            begin(TraceRecord.LOST, 2_600, 0, TraceRecord.NO_PATTERN, 0);
            trace.putLong(TraceRecord.DESCRIPTORS_OFFSET, 3);
            end(1);
            return;
        }
        begin(TraceRecord.DESCRIPTORS, 2_000, 0, TraceRecord.NO_PATTERN, 0);
        descriptor(Operation.PUT, 0, 1, 2, firstLength);
        descriptor(Operation.COUNT, 0, 1, 2, -1);
        end(2);
        begin(TraceRecord.PAYLOAD, 2_000, 0, TraceRecord.NO_PATTERN, 0);
        trace.putLong(length, payload);
        length += Long.BYTES;
        end(Long.BYTES);
        begin(TraceRecord.REFUSED, 2_100, 2, TraceRecord.NO_PATTERN, 0);
        trace.putInt(TraceRecord.CODE_OFFSET, REFUSAL);
        descriptor(Operation.PUT, 0, 1, 5, 8);
        end(1);
        begin(TraceRecord.SECTION, 3_000, 0, 0, 0);
        trace.putInt(TraceRecord.CODE_OFFSET, 7);
        trace.putInt(TraceRecord.DETAIL_OFFSET, 1);
        descriptor(Operation.PUT, 0, 1, 2, 16);
        descriptor(Operation.ARM, 0, 0, 1, 16);
        end(2);
        for (int round = 1; round <= 2; round++) {
            begin(TraceRecord.ROUND, 4_000 + 1_000L * round, 4_000 + 900L * round, 0, round);
            end(0);
        }
    }

    private void begin(int kind, long timeNs, long position, int pattern, long generation) {
        trace.setMemory(0, trace.capacity(), (byte) 0);
        trace.putByte(0, (byte) kind);
        trace.putLong(TraceRecord.TIME_OFFSET, timeNs);
        trace.putLong(TraceRecord.POSITION_OFFSET, position);
        trace.putLong(TraceRecord.GENERATION_OFFSET, generation);
        trace.putInt(TraceRecord.PATTERN_OFFSET, pattern);
        length = TraceRecord.HEADER_LENGTH;
    }

    private void descriptor(int operation, int flags, int rank, long target, long value) {
        trace.putLong(length, Descriptor.head(operation, flags, rank));
        trace.putLong(length + Descriptor.TARGET_OFFSET, target);
        trace.putLong(length + Descriptor.SOURCE_OPERAND_OFFSET, Descriptor.source(0, Descriptor.NO_COUNTER));
        final boolean isAmount = operation == Operation.COUNT || operation == Operation.ARM;
        trace.putLong(
                length
                        + (isAmount || operation == Operation.SEND
                                ? Descriptor.TARGET_OFFSET_OFFSET
                                : Descriptor.LENGTH_OFFSET),
                value);
        length += Descriptor.LENGTH;
    }

    private void end(int count) {
        trace.putInt(TraceRecord.COUNT_OFFSET, count);
        writer.write(trace, 0, length);
    }
}
