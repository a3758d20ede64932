package org.segno.tools.journal.command;

import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;
import org.segno.tools.journal.Journal;
import org.segno.tools.journal.JournalRecord;
import org.segno.tools.journal.RecordKind;

/** Lines of one rank of a journal, of one FIFO or of all. Used by one thread. */
final class LineReader implements AutoCloseable {
    private final Journal journal;
    private final @Nullable String fifo;
    private final long startNs;
    private final Deque<JournalLine> pending = new ArrayDeque<>();

    /** First part of a payload, and the bytes of all its parts so far. Visits of engines end at any of them. */
    private @Nullable JournalLine part;

    private final ByteArrayOutputStream parts = new ByteArrayOutputStream();

    private LineReader(Journal journal, @Nullable String fifo) {
        this.journal = journal;
        this.fifo = fifo;
        this.startNs = journal.startNs();
    }

    /**
     * What two lines are compared by.
     *
     * @param timeNs time since the start of the journal, in nanoseconds
     * @param text all other cells except the index, and except durations
     */
    record Key(long timeNs, String text) {}

    /** Opens the lines of a rank; {@code fifo} is null for all FIFOs. */
    static LineReader open(Path directory, int rank, @Nullable String fifo) {
        return new LineReader(JournalFile.open(directory, number -> number == rank), fifo);
    }

    /** Returns the next line, or null at the end of the journal. Of one FIFO, the parts of a payload are one line. */
    @Nullable
    JournalLine next() {
        while (pending.isEmpty()) {
            final JournalRecord record = JournalFile.next(journal);
            if (record == null) {
                endPayload();
                return pending.pollFirst();
            }
            JournalLine.of(record, line -> {
                if (fifo == null) {
                    pending.addLast(line);
                } else if (line.fifo().equals(fifo)) {
                    add(record, line);
                }
            });
        }
        return pending.removeFirst();
    }

    private void add(JournalRecord record, JournalLine line) {
        if (record.kind() != RecordKind.PAYLOAD) {
            endPayload();
            pending.addLast(line);
            return;
        }
        if (record.isMetadata() || record.payloadOffset() != parts.size() || part == null) {
            endPayload();
            part = line;
        }
        parts.writeBytes(record.payload());
    }

    private void endPayload() {
        final JournalLine first = part;
        if (first != null) {
            pending.addLast(first.withPayload(parts.toByteArray()));
            parts.reset();
            part = null;
        }
    }

    /** Returns what a line is compared by. */
    Key key(JournalLine line) {
        final String result = line.result().replaceFirst(" in [0-9.]+ us$", "");
        final String text = String.join(
                " ",
                line.fifo(),
                String.valueOf(line.position()),
                line.kind(),
                line.flags(),
                line.to(),
                line.from(),
                line.target(),
                String.valueOf(line.bytes()),
                line.pattern(),
                String.valueOf(line.round()),
                result);
        return new Key(line.timeNs() - startNs, text);
    }

    long startNs() {
        return startNs;
    }

    @Override
    public void close() {
        journal.close();
    }
}
