package org.segno.tools.journal;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.zip.CRC32C;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import org.agrona.DirectBuffer;
import org.segno.engine.trace.TraceRecord;
import org.segno.engine.trace.TraceRing.Losses;

/** Writer of the journal of one rank: the appender of a Chronicle Queue. Used by one thread. */
final class JournalWriter implements AutoCloseable {
    /** Bytes of a file that are mapped at a time. The longest record is a quarter of it. */
    private static final int BLOCK_BYTES = 4 << 20;

    private static final int LONGEST = BLOCK_BYTES / 4;

    private final ChronicleQueue queue;
    private final ExcerptAppender appender;
    private final ByteBuffer record = ByteBuffer.allocateDirect(LONGEST).order(JournalFormat.ORDER);
    private final Bytes<?> document = Bytes.wrapForRead(record);
    private final CRC32C checksum = new CRC32C();
    private long sequence;

    /** Losses that records of the rings have reported. */
    private Losses reported = new Losses(0, 0, 0, 0);

    private JournalWriter(ChronicleQueue queue) {
        this.queue = queue;
        this.appender = queue.createAppender();
    }

    static {
        // Read when the first class of the queue is loaded: it reports no use, watches no disk, and logs nothing.
        System.setProperty("chronicle.analytics.disable", "true");
        System.setProperty("chronicle.disk.monitor.disable", "true");
        System.setProperty("slf4j.internal.verbosity", "ERROR");
    }

    /** Creates the queue of a rank, with the header as its first record. */
    static JournalWriter create(Path directory, JournalHeader header) {
        final ChronicleQueue queue = SingleChronicleQueueBuilder.binary(directory.toFile())
                .rollCycle(RollCycles.FAST_DAILY)
                .blockSize(BLOCK_BYTES)
                .build();
        final JournalWriter writer = new JournalWriter(queue);
        writer.append(header.write(writer.record));
        return writer;
    }

    /** Returns the maximum length of the record of a ring that can be written. */
    static int longestTrace() {
        return LONGEST - JournalFormat.BODY_OFFSET;
    }

    /** Writes a record of a ring. */
    void write(DirectBuffer trace, int index, int length) {
        trace.getBytes(index, record, JournalFormat.BODY_OFFSET, length);
        append(JournalFormat.BODY_OFFSET + length);
        if (trace.getByte(index) == TraceRecord.LOST) {
            reported = new Losses(
                    reported.records() + trace.getInt(index + TraceRecord.COUNT_OFFSET),
                    reported.descriptors() + trace.getLong(index + TraceRecord.DESCRIPTORS_OFFSET),
                    reported.rounds() + trace.getLong(index + TraceRecord.GENERATION_OFFSET),
                    reported.bytes() + trace.getLong(index + TraceRecord.POSITION_OFFSET));
        }
    }

    /**
     * Writes what was lost at the end, which no ring has reported because nothing followed that found room. For a
     * closed node it then writes the last record, with the totals of what was lost.
     */
    void end(Losses losses, long timeNs, boolean isClosed) {
        if (losses.records() > reported.records()) {
            final Losses unreported = new Losses(
                    losses.records() - reported.records(),
                    losses.descriptors() - reported.descriptors(),
                    losses.rounds() - reported.rounds(),
                    losses.bytes() - reported.bytes());
            write(TraceRecord.LOST, unreported, timeNs);
        }
        if (isClosed) {
            write(JournalFormat.END, losses, timeNs);
        }
    }

    private void write(int kind, Losses losses, long timeNs) {
        for (int at = JournalFormat.BODY_OFFSET; at < JournalFormat.BODY_END; at += Long.BYTES) {
            record.putLong(at, 0);
        }
        final int body = JournalFormat.BODY_OFFSET;
        record.put(body, (byte) kind)
                .putLong(body + TraceRecord.TIME_OFFSET, timeNs)
                .putLong(body + TraceRecord.POSITION_OFFSET, losses.bytes())
                .putLong(body + TraceRecord.GENERATION_OFFSET, losses.rounds())
                .putInt(body + TraceRecord.PATTERN_OFFSET, TraceRecord.NO_PATTERN)
                .putInt(body + TraceRecord.COUNT_OFFSET, (int) Math.min(Integer.MAX_VALUE, losses.records()))
                .putLong(body + TraceRecord.DESCRIPTORS_OFFSET, losses.descriptors());
        append(JournalFormat.BODY_END);
    }

    private void append(int length) {
        record.putInt(0, length).putLong(JournalFormat.SEQUENCE_OFFSET, sequence);
        record.putInt(JournalFormat.CHECKSUM_OFFSET, RankReader.checksum(checksum, record, length));
        document.readPositionRemaining(0, length);
        appender.writeBytes(document);
        sequence++;
    }

    /** Forces everything that was written to the storage device. */
    void sync() {
        appender.sync();
    }

    @Override
    public void close() {
        appender.close();
        queue.close();
    }
}
