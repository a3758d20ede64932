package org.segno.demo.matrix;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.segno.tools.output.Quantity;

/**
 * Reader of square matrices in the coordinate format of the Matrix Market: real, integer or pattern; general or
 * symmetric.
 *
 * <p>The reader is strict, because a matrix that is silently misread solves another problem. Every entry must occur
 * once; a repeated entry is rejected, not added. A symmetric file must contain the lower triangle only, the announced
 * number of entries, and finite numbers.
 *
 * <p>Blank lines and comments may occur anywhere below the first line. A file's values are read as {@code double}; an
 * entry of a pattern is one.
 */
public final class MatrixMarketReader {
    /** Limit on entries, so that both triangles fit into one array. */
    private static final int ENTRY_LIMIT = 1 << 30;

    /** Longest array, and the limit on rows. */
    private static final int ROW_LIMIT = Integer.MAX_VALUE - 16;

    /** Byte order mark that editors of some systems write before UTF-8, and the first bytes of a gzip file. */
    private static final String BYTE_ORDER_MARK = "\u00ef\u00bb\u00bf";

    private static final String GZIP = "\u001f\u008b";

    /** Number of characters that are enough to identify the content of a file. */
    private static final int PEEK_LENGTH = 64;

    private final Path file;
    private final BufferedReader reader;
    private final MatrixMarketLine line;

    private MatrixMarketReader(Path file, BufferedReader reader) {
        this.file = file;
        this.reader = reader;
        this.line = new MatrixMarketLine(file);
    }

    /**
     * Reads a whole file.
     *
     * @return the matrix with both triangles, the columns of each row ascending
     * @throws MatrixFormatException if the file is not such a matrix; the message names file and line
     * @throws IOException if the file cannot be read
     */
    public static CsrMatrix read(Path file) throws IOException {
        return readEntries(file).matrix();
    }

    /** Reads the same with the line of each entry, for messages that name lines. */
    static SortedEntries readEntries(Path file) throws IOException {
        // One byte is one character: the format is ASCII, and comments may contain any byte.
        try (BufferedReader reader = new BufferedReader(
                new InputStreamReader(Files.newInputStream(file), StandardCharsets.ISO_8859_1), 1 << 16)) {
            return new MatrixMarketReader(file, reader).readEntries();
        }
    }

    private SortedEntries readEntries() throws IOException {
        final MatrixMarketHeader header = readHeader();
        if (!nextLineWithContent()) {
            throw atEnd("the line with rows, columns and entries");
        }
        final int rowCount = line.count("the number of rows", 1, ROW_LIMIT);
        final int columnCount = line.count("the number of columns", 1, ROW_LIMIT);
        if (columnCount != rowCount) {
            throw line.problem("expected a square matrix, found " + rowCount + " x " + columnCount);
        }
        final int entryCount = line.count("the number of entries", 0, ENTRY_LIMIT);
        line.end();
        if (entryCount < rowCount) {
            throw line.problem("expected at least one entry for each of " + Quantity.of(rowCount, "row") + ", found "
                    + entryCount + ": the matrix is singular");
        }
        final MatrixEntries entries = readEntries(header, rowCount, entryCount);
        if (header.symmetric() && entries.mirroredCount() > ENTRY_LIMIT) {
            throw new MatrixFormatException(file, "more than " + ENTRY_LIMIT + " entries in both triangles");
        }
        final SortedEntries sorted = SortedEntries.of(entries, rowCount, header.symmetric());
        sorted.checkEachOnce(file);
        return sorted;
    }

    private MatrixMarketHeader readHeader() throws IOException {
        if (!peek(BYTE_ORDER_MARK.length()).equals(BYTE_ORDER_MARK)) {
            reader.reset();
        }
        // A file of another kind may have no line ends: check its first bytes before a whole line is read.
        final String start = peek(PEEK_LENGTH);
        if (!start.startsWith(MatrixMarketHeader.BANNER)) {
            line.advanceTo(start.lines().findFirst().orElse(""));
            throw line.problem("expected " + MatrixMarketHeader.EXPECTED + ", found " + whatElse(start));
        }
        reader.reset();
        nextLine();
        return MatrixMarketHeader.parse(line);
    }

    /** Returns the next bytes, fewer at the end of the file. {@code reader.reset()} returns to their start. */
    private String peek(int limit) throws IOException {
        reader.mark(limit);
        final char[] start = new char[limit];
        int length = 0;
        for (int read = 0; read >= 0 && length < limit; length += Math.max(0, read)) {
            read = reader.read(start, length, limit - length);
        }
        return new String(start, 0, length);
    }

    private String whatElse(String start) throws MatrixFormatException {
        if (start.isEmpty()) {
            return "an empty file";
        }
        if (start.startsWith(GZIP)) {
            return "a file packed by gzip: unpack it first";
        }
        return line.quote(line.token());
    }

    private MatrixEntries readEntries(MatrixMarketHeader header, int rowCount, int entryCount) throws IOException {
        final MatrixEntries entries = new MatrixEntries();
        while (nextLineWithContent()) {
            if (entries.count() == entryCount) {
                throw line.problem("expected the end of the file after " + Quantity.of(entryCount, "entr", "y", "ies")
                        + ", found one more");
            }
            final int row = line.count("a row", 1, rowCount);
            final int column = line.count("a column", 1, rowCount);
            if (header.symmetric() && column > row) {
                throw line.problem("expected an entry of the lower triangle in a symmetric file, found row " + row
                        + ", column " + column);
            }
            final double value = header.value(line);
            line.end();
            entries.add(row - 1, column - 1, value, line.number());
        }
        if (entries.count() < entryCount) {
            throw atEnd(Quantity.of(entryCount, "entr", "y", "ies") + " (found " + entries.count() + ")");
        }
        return entries;
    }

    private boolean nextLineWithContent() throws IOException {
        while (nextLine()) {
            if (!line.isBlankOrComment()) {
                return true;
            }
        }
        return false;
    }

    private boolean nextLine() throws IOException {
        final @Nullable String text = reader.readLine();
        if (text == null) {
            return false;
        }
        line.advanceTo(text);
        return true;
    }

    private MatrixFormatException atEnd(String expected) {
        return new MatrixFormatException(
                file, line.number() + 1L, "expected " + expected + ", found the end of the file");
    }
}
