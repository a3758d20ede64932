package org.segno.tools.journal;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Journal of one rank, with its header and the sections of its patterns. Used by one thread. */
final class RankJournal implements AutoCloseable {
    private final int rank;
    private final RankReader reader;
    private @Nullable JournalHeader header;
    private final PatternSections sections = new PatternSections();
    private @Nullable JournalRecord record;
    private boolean isPending;

    private RankJournal(int rank, RankReader reader) {
        this.rank = rank;
        this.reader = reader;
    }

    /** Opens the journal of a rank and reads its header, if there is one yet. */
    static RankJournal open(int rank, Path directory) {
        final RankJournal journal = new RankJournal(rank, RankReader.open(directory));
        journal.readHeader();
        return journal;
    }

    /** Reads the header, if there is one and it was not read before. Returns the view of records, or null. */
    @Nullable
    JournalRecord readHeader() {
        if (record == null) {
            final JournalHeader read = reader.header(rank);
            if (read != null) {
                header = read;
                record = new JournalRecord(read, sections);
            }
        }
        return record;
    }

    /** Returns the rank. */
    int rank() {
        return rank;
    }

    /** Returns the header, or null if there is none yet or it is damaged. */
    @Nullable
    JournalHeader header() {
        return header;
    }

    /** Returns the next record without advancing, or null if there is none. */
    @Nullable
    JournalRecord peek() {
        final JournalRecord view = readHeader();
        if (view == null) {
            return null;
        }
        if (!isPending) {
            if (!reader.next()) {
                return null;
            }
            view.copy(reader.record());
            isPending = true;
            if (view.kind() == RecordKind.SECTION) {
                sections.add(view);
            } else if (view.isFirstRecording()) {
                // The pattern that had this index before was closed.
                sections.remove(view.context(), view.patternIndex());
            }
        }
        return view;
    }

    /** Advances beyond the record that {@link #peek} has returned. */
    void advance() {
        isPending = false;
    }

    /** Returns where and why the journal ends. */
    JournalEnd end() {
        return reader.end();
    }

    @Override
    public void close() throws IOException {
        reader.close();
    }
}
