package org.segno.tools.output;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Named columns and rows of cells: strings, whole numbers, other numbers, booleans, or null.
 *
 * <p>Names have the form for programs ({@code heartbeatMs}); the table format prints {@code heartbeat ms}. Used by one
 * thread.
 */
public final class Table {
    private static final String GAP = "  ";

    /** Columns of numbers that are identifiers, which are printed without thousands separators. */
    private static final Set<String> NAMES = Set.of("pid", "id");

    private final String name;
    private final List<String> columns;
    private final List<@Nullable Object[]> rows = new ArrayList<>();
    private final BitSet groupStarts = new BitSet();
    private DoubleFunction<String> numbers = number -> String.format(Locale.ROOT, "%,.1f", number);

    /** Creates a table without rows. {@code name} is its field in JSON. */
    public Table(String name, List<String> columns) {
        this.name = name;
        this.columns = List.copyOf(columns);
    }

    /** Creates a table without rows. {@code name} is its field in JSON. */
    public static Table of(String name, String... columns) {
        return new Table(name, List.of(columns));
    }

    /** Adds a row with one cell for each column. */
    public Table row(@Nullable Object... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException(
                    "table " + name + " has " + columns.size() + " columns, the row has " + cells.length);
        }
        rows.add(cells.clone());
        return this;
    }

    /** Sets the text of finite {@code Double} cells in the table format. The default has one decimal. */
    public Table numbers(DoubleFunction<String> text) {
        numbers = text;
        return this;
    }

    /** Starts a new group of rows. The table format separates it from the last one by an empty line. */
    public Table startGroup() {
        groupStarts.set(rows.size());
        return this;
    }

    /** Returns its field in JSON. */
    public String name() {
        return name;
    }

    /** Returns the number of rows so far. */
    public int size() {
        return rows.size();
    }

    /** Returns the rows as objects. */
    List<JsonObject> objects() {
        final List<JsonObject> objects = new ArrayList<>();
        for (final Object[] row : rows) {
            objects.add(fill(new JsonObject(), row));
        }
        return objects;
    }

    /** Returns the rows as objects that begin with the table's name. */
    List<JsonObject> namedObjects(String schema) {
        final List<JsonObject> objects = new ArrayList<>();
        for (final Object[] row : rows) {
            objects.add(fill(new JsonObject().put("schema", schema).put("table", name), row));
        }
        return objects;
    }

    private JsonObject fill(JsonObject object, @Nullable Object[] row) {
        for (int column = 0; column < row.length; column++) {
            object.putCell(columns.get(column), row[column]);
        }
        return object;
    }

    /** Returns the lines of comma-separated values, names first. */
    List<String> csv() {
        final List<String> lines = new ArrayList<>();
        lines.add(String.join(",", columns));
        for (final Object[] row : rows) {
            final List<String> cells = new ArrayList<>();
            for (final Object cell : row) {
                cells.add(quoted(cell == null ? "" : cell.toString()));
            }
            lines.add(String.join(",", cells));
        }
        return lines;
    }

    private static String quoted(String cell) {
        return cell.matches("(?s).*[\",\r\n].*") ? '"' + cell.replace("\"", "\"\"") + '"' : cell;
    }

    /** Returns the lines for people: names first, numbers aligned to the right. */
    List<String> lines() {
        final List<String[]> texts = new ArrayList<>();
        texts.add(columns.stream().map(Table::words).toArray(String[]::new));
        for (final Object[] row : rows) {
            final String[] text = new String[row.length];
            for (int column = 0; column < row.length; column++) {
                text[column] = NAMES.contains(columns.get(column)) ? row[column] + "" : text(row[column]);
            }
            texts.add(text);
        }
        final int[] widths = new int[columns.size()];
        for (final String[] text : texts) {
            for (int column = 0; column < widths.length; column++) {
                widths[column] = Math.max(widths[column], text[column].length());
            }
        }
        final List<String> lines = new ArrayList<>();
        for (int index = 0; index < texts.size(); index++) {
            // The names precede the first row.
            if (index > 1 && groupStarts.get(index - 1)) {
                lines.add("");
            }
            lines.add(line(texts.get(index), widths));
        }
        return lines;
    }

    private String line(String[] text, int[] widths) {
        final StringBuilder line = new StringBuilder();
        for (int column = 0; column < text.length; column++) {
            final String space = " ".repeat(widths[column] - text[column].length());
            line.append(column == 0 ? "" : GAP);
            line.append(isNumeric(column) ? space + text[column] : text[column] + space);
        }
        return line.toString().stripTrailing();
    }

    private boolean isNumeric(int column) {
        boolean numeric = false;
        for (final Object[] row : rows) {
            if (row[column] != null && !(row[column] instanceof Number)) {
                return false;
            }
            numeric |= row[column] != null;
        }
        return numeric;
    }

    private String text(@Nullable Object cell) {
        if (cell == null || (cell instanceof Double number && !Double.isFinite(number))) {
            return "-";
        }
        if (cell instanceof Boolean truth) {
            return truth ? "yes" : "no";
        }
        if (cell instanceof Double number) {
            return numbers.apply(number);
        }
        return cell instanceof Number number ? String.format(Locale.ROOT, "%,d", number.longValue()) : cell.toString();
    }

    /** Returns a name for people: {@code heartbeat ms} for {@code heartbeatMs}. */
    static String words(String name) {
        return name.replaceAll("([A-Z])", " $1").toLowerCase(Locale.ROOT);
    }
}
