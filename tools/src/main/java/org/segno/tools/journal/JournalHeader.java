package org.segno.tools.journal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Header of the journal of one rank.
 *
 * @param rank rank
 * @param size ranks of the job
 * @param jobName name of the job
 * @param isPatternsAlone true if it has the descriptors and rounds of patterns alone
 * @param hasPayloads true if it has the payloads of messages
 * @param contexts contexts of the rank
 * @param engines engines of the rank
 * @param process process of the rank
 * @param epochNs nanoseconds since 1970 at the reference
 * @param referenceNs reference of the times of records, in nanoseconds
 */
public record JournalHeader(
        int rank,
        int size,
        String jobName,
        boolean isPatternsAlone,
        boolean hasPayloads,
        int contexts,
        int engines,
        RecordedProcess process,
        long epochNs,
        long referenceNs) {
    /** Returns the nanoseconds since 1970 of a time in a record. */
    long sinceEpochNs(long timeNs) {
        return epochNs + (timeNs - referenceNs);
    }

    /**
     * Checks that a record begins a journal that this version can read, as far as the record is one at all. Any other
     * record is left to the other checks.
     *
     * @throws JournalException if the byte order or the version is another one
     */
    static void requireReadable(ByteBuffer record, String place) {
        if (record.limit() < JournalFormat.MIN_HEADER_LENGTH) {
            return;
        }
        final long magic = record.getLong(JournalFormat.MAGIC_OFFSET);
        if (magic == Long.reverseBytes(JournalFormat.MAGIC)
                && Integer.reverseBytes(record.getInt(0)) == record.limit()) {
            throw JournalException.unfit(place + " was written by a machine of another byte order than this one, "
                    + JournalFormat.ORDER + ": read it on a machine of that order");
        }
        final int version = record.getInt(JournalFormat.VERSION_OFFSET);
        final boolean isWhole = record.getInt(0) == record.limit()
                && RankReader.checksum(new CRC32C(), record, record.limit())
                        == record.getInt(JournalFormat.CHECKSUM_OFFSET);
        final boolean isKnown = version >= JournalFormat.OLDEST_VERSION && version <= JournalFormat.VERSION;
        if (magic == JournalFormat.MAGIC && !isKnown && isWhole) {
            throw JournalException.unfit(place + " has version " + version + " of the format of journals; this segno"
                    + " reads version " + JournalFormat.VERSION + ", and older ones from "
                    + JournalFormat.OLDEST_VERSION
                    + " on: use the segno that has written it");
        }
    }

    /** Returns the header in a record, or null if it is none. */
    static @Nullable JournalHeader read(ByteBuffer record, String place) {
        if (record.get(JournalFormat.BODY_OFFSET) != JournalFormat.HEADER) {
            return null;
        }
        final int flags = record.getInt(JournalFormat.FLAGS_OFFSET);
        final byte[] name = new byte[record.getInt(JournalFormat.NAME_LENGTH_OFFSET)];
        record.get(JournalFormat.nameOffset(record.getInt(JournalFormat.VERSION_OFFSET)), name);
        return new JournalHeader(
                record.getInt(JournalFormat.RANK_OFFSET),
                record.getInt(JournalFormat.SIZE_OFFSET),
                new String(name, StandardCharsets.UTF_8),
                (flags & JournalFormat.PATTERNS_ALONE) != 0,
                (flags & JournalFormat.WITH_PAYLOADS) != 0,
                record.getInt(JournalFormat.CONTEXTS_OFFSET),
                record.getInt(JournalFormat.ENGINES_OFFSET),
                process(record),
                record.getLong(JournalFormat.EPOCH_OFFSET),
                record.getLong(JournalFormat.REFERENCE_OFFSET));
    }

    private static RecordedProcess process(ByteBuffer record) {
        final long pid = record.getLong(JournalFormat.PID_OFFSET);
        if (record.getInt(JournalFormat.VERSION_OFFSET) < JournalFormat.VERSION_WITH_PROCESS) {
            return RecordedProcess.of(pid);
        }
        return new RecordedProcess(
                pid,
                record.getInt(JournalFormat.NAMESPACE_OFFSET),
                record.getLong(JournalFormat.START_OFFSET),
                new UUID(
                        record.getLong(JournalFormat.BOOT_OFFSET),
                        record.getLong(JournalFormat.BOOT_OFFSET + Long.BYTES)));
    }

    /** Writes this header as the body of a record. Returns the end of the record. */
    int write(ByteBuffer record) {
        final byte[] name = jobName.getBytes(StandardCharsets.UTF_8);
        final int length = Math.min(name.length, JournalFormat.MAX_NAME_LENGTH);
        record.put(JournalFormat.BODY_OFFSET, (byte) JournalFormat.HEADER)
                .putLong(JournalFormat.MAGIC_OFFSET, JournalFormat.MAGIC)
                .putInt(JournalFormat.VERSION_OFFSET, JournalFormat.VERSION)
                .putInt(JournalFormat.RANK_OFFSET, rank)
                .putInt(JournalFormat.SIZE_OFFSET, size)
                .putInt(
                        JournalFormat.FLAGS_OFFSET,
                        (isPatternsAlone ? JournalFormat.PATTERNS_ALONE : 0)
                                | (hasPayloads ? JournalFormat.WITH_PAYLOADS : 0))
                .putInt(JournalFormat.CONTEXTS_OFFSET, contexts)
                .putInt(JournalFormat.ENGINES_OFFSET, engines)
                .putLong(JournalFormat.PID_OFFSET, process.pid())
                .putLong(JournalFormat.EPOCH_OFFSET, epochNs)
                .putLong(JournalFormat.REFERENCE_OFFSET, referenceNs)
                .putInt(JournalFormat.NAME_LENGTH_OFFSET, length)
                .putInt(JournalFormat.NAMESPACE_OFFSET, process.namespace())
                .putLong(JournalFormat.START_OFFSET, process.startTime())
                .putLong(JournalFormat.BOOT_OFFSET, process.boot().getMostSignificantBits())
                .putLong(JournalFormat.BOOT_OFFSET + Long.BYTES, process.boot().getLeastSignificantBits())
                .put(JournalFormat.nameOffset(JournalFormat.VERSION), name, 0, length);
        return JournalFormat.nameOffset(JournalFormat.VERSION) + length;
    }
}
