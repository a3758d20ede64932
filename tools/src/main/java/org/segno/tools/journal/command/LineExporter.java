package org.segno.tools.journal.command;

import org.segno.tools.journal.JournalRecord;

/** Writer of the lines of a journal in a format of other programs. Used by one thread. */
interface LineExporter {
    /** Writes what precedes the first line. */
    void begin();

    /** Writes a line of a record. */
    void add(JournalRecord record, JournalLine line);

    /** Writes what follows the last line. */
    void end();

    /**
     * Writer of the lines themselves.
     *
     * @param printer of the lines
     */
    record OfLines(LinePrinter printer) implements LineExporter {
        @Override
        public void begin() {
            printer.begin();
        }

        @Override
        public void add(JournalRecord record, JournalLine line) {
            printer.print(line);
        }

        @Override
        public void end() {
            printer.end();
        }
    }
}
