package org.segno.tools.journal.command;

import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.segno.tools.output.Format;
import org.segno.tools.output.JsonObject;

/**
 * Printer of lines in a {@link Format}, one by one, so that a journal of any length needs no memory. Columns of the
 * table format have fixed widths; longer cells are printed whole. Used by one thread.
 */
final class LinePrinter {
    private static final String SCHEMA = "segno-journal-cat-1";

    private static final int[] WIDTHS = {8, 13, 4, 5, 8, 10, 9, 4, 14, 16, 9, 7, 6, 0};

    private final PrintWriter out;
    private final Format format;
    private final boolean isIndexed;
    private final long startNs;
    private long count;

    /**
     * Creates a printer.
     *
     * @param isIndexed true to print the first column
     * @param startNs origin of the times, in nanoseconds since 1970
     */
    LinePrinter(PrintWriter out, Format format, boolean isIndexed, long startNs) {
        this.out = out;
        this.format = format;
        this.isIndexed = isIndexed;
        this.startNs = startNs;
    }

    /** Prints what precedes the first line. */
    void begin() {
        switch (format) {
            case TABLE ->
                out.println(aligned(
                        JournalLine.COLUMNS.stream().map(LinePrinter::words).toArray()));
            case CSV -> out.println(String.join(",", columns()));
            case JSON -> out.print("{\"schema\": \"" + SCHEMA + "\", \"lines\": [");
            case NDJSON -> out.println(new JsonObject().put("schema", SCHEMA));
        }
    }

    private static String words(String name) {
        return name.replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT);
    }

    private List<String> columns() {
        return JournalLine.COLUMNS.subList(isIndexed ? 0 : 1, JournalLine.COLUMNS.size());
    }

    /** Prints a line. */
    void print(JournalLine line) {
        final @Nullable Object[] cells = line.cells(startNs);
        switch (format) {
            case TABLE -> out.println(aligned(cells));
            case CSV -> out.println(csv(cells));
            case JSON -> out.print((count == 0 ? "" : ", ") + object(cells));
            case NDJSON -> out.println(object(cells));
        }
        count++;
    }

    /** Prints what follows the last line. */
    void end() {
        if (format == Format.JSON) {
            out.println("]}");
        }
        out.flush();
    }

    private String aligned(@Nullable Object[] cells) {
        final StringBuilder text = new StringBuilder();
        for (int i = isIndexed ? 0 : 1; i < cells.length; i++) {
            final Object cell = cells[i];
            final String word = cell == null ? "-" : text(cell);
            final String space = " ".repeat(Math.max(0, WIDTHS[i] - word.length()));
            text.append(cell instanceof Number ? space + word : word + space).append("  ");
        }
        return text.toString().stripTrailing();
    }

    private static String text(Object cell) {
        return cell instanceof Double number ? String.format(Locale.ROOT, "%.3f", number) : cell.toString();
    }

    private String csv(@Nullable Object[] cells) {
        final List<@Nullable Object> printed = Arrays.asList(cells).subList(isIndexed ? 0 : 1, cells.length);
        return String.join(
                ",",
                printed.stream()
                        .map(cell -> cell == null ? "" : quoted(text(cell)))
                        .toList());
    }

    private static String quoted(String cell) {
        return cell.indexOf(',') >= 0 || cell.indexOf('"') >= 0 ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }

    private JsonObject object(@Nullable Object[] cells) {
        final JsonObject object = new JsonObject();
        for (int i = isIndexed ? 0 : 1; i < cells.length; i++) {
            final String name = JournalLine.COLUMNS.get(i);
            final Object cell = cells[i];
            if (cell instanceof Double number) {
                object.put(name, number.doubleValue());
            } else if (cell instanceof Number number) {
                object.put(name, number.longValue());
            } else {
                object.put(name, cell == null ? null : cell.toString());
            }
        }
        return object;
    }
}
