package org.segno;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Table in a flyweight's Javadoc, which specifies its record. It is read from the source, so that a test can compare
 * the code with it.
 */
public final class RecordTable {
    private static final Pattern HEADER = Pattern.compile("^ \\*\\s+offset\\s+length\\s+field.*");
    private static final Pattern ROW = Pattern.compile("^ \\*\\s+(\\d+)\\s+(\\d+)\\s{2,}(\\S.*)$");
    private static final Pattern END = Pattern.compile("^ \\*\\s+(\\d+)\\s+([A-Z_]*LENGTH)\\s*$");
    private static final int LINE_PAIR = 128;

    private final String record;
    private final List<Row> rows;
    private final int length;

    private RecordTable(String record, List<Row> rows, int length) {
        this.record = record;
        this.rows = rows;
        this.length = length;
    }

    /**
     * One line.
     *
     * @param offset from the record's start
     * @param length bytes
     * @param field its name
     * @param text name, meaning, writer and access as in the table
     */
    public record Row(int offset, int length, String field, String text) {
        /** Returns true if the line lists {@code writer} as a writer of the field. */
        public boolean isWrittenBy(String writer) {
            return text.matches(".*\\s{2,}" + writer + "\\b.*");
        }
    }

    /** Reads the table of a flyweight. */
    public static RecordTable of(Class<?> flyweight) {
        final Path source = Path.of("src/main/java", flyweight.getName().replace('.', '/') + ".java");
        final List<Row> rows = new ArrayList<>();
        int length = 0;
        boolean inTable = false;
        try {
            for (final String line : Files.readAllLines(source)) {
                final Matcher row = ROW.matcher(line);
                final Matcher end = END.matcher(line);
                if (HEADER.matcher(line).matches()) {
                    inTable = true;
                } else if (inTable && end.matches()) {
                    length = Integer.parseInt(end.group(1));
                    break;
                } else if (inTable && row.matches()) {
                    rows.add(row(row));
                } else if (inTable && line.contains("</pre>")) {
                    break;
                }
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        assertThat(rows).as("rows of the table in " + source).isNotEmpty();
        return new RecordTable(flyweight.getSimpleName(), rows, length);
    }

    private static Row row(Matcher row) {
        final String text = row.group(3);
        return new Row(
                Integer.parseInt(row.group(1)),
                Integer.parseInt(row.group(2)),
                text.split("\\s{2,}", 2)[0].trim(),
                text);
    }

    /** Returns the record's length by the end of the table, or zero. */
    public int length() {
        return length;
    }

    /** Returns the offset of a field. */
    public int offset(String field) {
        return row(field).offset();
    }

    /** Returns the field to which the byte at {@code offset} belongs. */
    public String fieldAt(int offset) {
        return rows.stream()
                .filter(row -> offset >= row.offset() && offset < row.offset() + row.length())
                .findFirst()
                .orElseThrow(() -> new AssertionError(record + " has no field at " + offset))
                .field();
    }

    /** Returns the line of a field. */
    public Row row(String field) {
        return rows.stream()
                .filter(row -> row.field().equals(field))
                .findFirst()
                .orElseThrow(
                        () -> new AssertionError(record + " has no field \"" + field + "\" in its table: " + rows));
    }

    /** Checks that every byte up to the end belongs to one line, and that numbers lie at multiples of their size. */
    public RecordTable requireWhole() {
        int next = 0;
        for (final Row row : rows) {
            assertThat(row.offset())
                    .as(record + ": where \"" + row.field() + "\" begins")
                    .isEqualTo(next);
            if (!row.field().equals("reserved")) {
                final int alignment = Math.min(Long.BYTES, Integer.lowestOneBit(row.length()));
                assertThat(row.offset() % alignment)
                        .as(record + ": alignment of \"" + row.field() + "\"")
                        .isZero();
            }
            next = row.offset() + row.length();
        }
        assertThat(next).as(record + ": the last line ends at LENGTH").isEqualTo(length);
        return this;
    }

    /** Checks that fields of two writers share no pair of cache lines, provided that records begin at one. */
    public RecordTable requireApart(String writer, String other) {
        for (final Row row : rows) {
            for (final Row apart : rows) {
                if (row.isWrittenBy(writer) && apart.isWrittenBy(other)) {
                    assertThat(row.offset() / LINE_PAIR)
                            .as(record + ": \"" + row.field() + "\" and \"" + apart.field()
                                    + "\" have different writers")
                            .isNotEqualTo(apart.offset() / LINE_PAIR);
                }
            }
        }
        assertThat(rows).as("written by " + writer).anyMatch(row -> row.isWrittenBy(writer));
        assertThat(rows).as("written by " + other).anyMatch(row -> row.isWrittenBy(other));
        return this;
    }
}
