package org.segno.tools.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.segno.tools.journal.JournalEnd.State;

/**
 * Reader of the journal of one rank: its records in order, each checked for length, checksum and sequence before it is
 * passed on. It stops at the first damaged one. Used by one thread.
 */
final class RankReader implements AutoCloseable {
    private static final String SUFFIX = ".cq4";

    private final Path directory;
    private final CRC32C checksum = new CRC32C();
    private ByteBuffer record = ByteBuffer.allocate(1 << 12).order(JournalFormat.ORDER);
    private @Nullable QueueFile file;
    private Path current;
    private long sequence;
    private @Nullable JournalEnd damage;
    private boolean isComplete;

    private RankReader(Path directory) {
        this.directory = directory;
        this.current = directory;
    }

    /** Opens the journal of a rank, before its first record. */
    static RankReader open(Path directory) {
        return new RankReader(directory);
    }

    /**
     * Reads the first record.
     *
     * @param rank that the directory is named after
     * @return the header, or null if there is none yet or the record is damaged: {@link #end} has the reason
     * @throws JournalException if the journal has another version or byte order, or cannot be read
     */
    @Nullable
    JournalHeader header(int rank) {
        if (!next()) {
            return null;
        }
        final JournalHeader header = JournalHeader.read(record, place());
        if (header == null) {
            damaged("the first record is no header of a journal");
        } else if (header.rank() != rank) {
            damaged("the journal is that of rank " + header.rank());
            return null;
        }
        return header;
    }

    /**
     * Advances to the next record. Returns false at the present end, and at a damaged record: see {@link #end}.
     *
     * @throws JournalException if the files cannot be read
     */
    boolean next() {
        if (damage != null) {
            return false;
        }
        try {
            return advance();
        } catch (final IOException e) {
            throw unreadable(e);
        }
    }

    private boolean advance() throws IOException {
        int length = file == null ? QueueFile.ROLLED : file.next();
        while (length == QueueFile.ROLLED) {
            if (!openNext()) {
                return false;
            }
            final QueueFile opened = file;
            length = opened == null ? QueueFile.END_OF_DATA : opened.next();
        }
        if (length == QueueFile.IMPOSSIBLE) {
            return damaged("a document is longer than its file, or than any record");
        }
        if (length < 0) {
            return false;
        }
        return isComplete ? damaged("a record follows the last one of the rank") : read(length);
    }

    private boolean read(int length) throws IOException {
        if (length < JournalFormat.BODY_END) {
            return damaged("a document of " + length + " bytes is shorter than any record");
        }
        if (record.capacity() < length) {
            record =
                    ByteBuffer.allocate(Math.max(length, 2 * record.capacity())).order(JournalFormat.ORDER);
        }
        record.clear();
        final QueueFile from = file;
        if (from == null || !from.copy(record, length)) {
            return damaged("the file ends within a record");
        }
        record.limit(length);
        if (sequence == 0) {
            JournalHeader.requireReadable(record, place());
        }
        return check(length);
    }

    private boolean check(int length) {
        final int stated = record.getInt(0);
        if (stated != length) {
            return damaged("the record has " + length + " bytes, but states a length of " + stated);
        }
        final int sum = checksum(checksum, record, length);
        if (sum != record.getInt(JournalFormat.CHECKSUM_OFFSET)) {
            return damaged("the checksum of the record is wrong");
        }
        final long found = record.getLong(JournalFormat.SEQUENCE_OFFSET);
        if (found != sequence) {
            return damaged("the record has the sequence number " + found + " instead of " + sequence);
        }
        if (sequence != 0 && record.get(JournalFormat.BODY_OFFSET) == JournalFormat.HEADER) {
            return damaged("a header follows the first record");
        }
        final String flaw = RecordCheck.flaw(record);
        if (flaw != null) {
            return damaged(flaw);
        }
        sequence++;
        isComplete = record.get(JournalFormat.BODY_OFFSET) == JournalFormat.END;
        return true;
    }

    /** Returns the checksum of a record: of everything except the checksum itself. */
    static int checksum(CRC32C checksum, ByteBuffer record, int length) {
        checksum.reset();
        checksum.update(record.duplicate().position(0).limit(JournalFormat.CHECKSUM_OFFSET));
        checksum.update(
                record.duplicate().position(JournalFormat.SEQUENCE_OFFSET).limit(length));
        return (int) checksum.getValue();
    }

    /** Returns the record that {@link #next} has found last, valid until the next call. */
    ByteBuffer record() {
        return record;
    }

    /** Returns where and why the journal ends for this reader. */
    JournalEnd end() {
        final JournalEnd damaged = damage;
        if (damaged != null) {
            return damaged;
        }
        if (isComplete) {
            return new JournalEnd(State.COMPLETE, sequence, place(), "complete");
        }
        if (hasDataBehind()) {
            damaged("the first word of a document that others follow does not say that it is complete");
            return end();
        }
        return new JournalEnd(
                State.OPEN,
                sequence,
                place(),
                "there is no last record: the rank runs, its recorder has stopped, or its process has ended without"
                        + " closing its node");
    }

    private boolean hasDataBehind() {
        final QueueFile at = file;
        try {
            return at != null && at.hasDataBehind();
        } catch (final IOException e) {
            throw unreadable(e);
        }
    }

    private JournalException unreadable(IOException reason) {
        return JournalException.unfit("the journal cannot be read at " + place() + ": " + reason);
    }

    private boolean damaged(String reason) {
        damage = new JournalEnd(State.DAMAGED, sequence, place(), reason);
        return false;
    }

    /** Returns the file, and the offset in it at which the reader is. */
    private String place() {
        final QueueFile at = file;
        return at == null ? directory.toString() : directory.resolve(current.getFileName()) + ":" + at.offset();
    }

    private boolean openNext() throws IOException {
        Path following = null;
        for (final Path each : files()) {
            if (file == null || each.compareTo(current) > 0) {
                following = each;
                break;
            }
        }
        if (following == null) {
            return false;
        }
        close();
        current = following;
        file = QueueFile.open(following);
        return true;
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> found = Files.list(directory)) {
            return found.filter(each -> each.toString().endsWith(SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    @Override
    public void close() throws IOException {
        final QueueFile opened = file;
        if (opened != null) {
            opened.close();
        }
    }
}
