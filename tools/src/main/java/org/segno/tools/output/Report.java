package org.segno.tools.output;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Output of a command: a title, fields and tables, printed in any {@link Format}. Used by one thread. */
public final class Report {
    private final String schema;
    private final String title;
    private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    private final List<Table> tables = new ArrayList<>();
    private final Map<Table, String> headings = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();

    /**
     * Creates a report without contents.
     *
     * @param schema name and version of its structure, the first field in JSON
     * @param title its first line, for people; empty for none
     */
    public Report(String schema, String title) {
        this.schema = schema;
        this.title = title;
    }

    /** Adds a field, for programs. The table format shows the title instead. */
    public Report put(String name, @Nullable Object value) {
        fields.put(name, value);
        return this;
    }

    /** Adds a table. The table format prints it only if it has rows. */
    public Report add(Table table) {
        return add("", table);
    }

    /**
     * Adds a table with a heading. The table format prints the heading unless it is empty, and the table if it has
     * rows.
     */
    public Report add(String heading, Table table) {
        tables.add(table);
        headings.put(table, heading);
        return this;
    }

    /** Adds a line at the end, for the table format only. */
    public Report note(String line) {
        notes.add(line);
        return this;
    }

    /** Prints the report. */
    public void print(PrintWriter out, Format format) {
        switch (format) {
            case TABLE -> printLines(out);
            case CSV ->
                out.println(tables.stream()
                        .map(table -> String.join("\n", table.csv()))
                        .collect(Collectors.joining("\n\n")));
            case JSON -> {
                final JsonObject object = head();
                tables.forEach(table -> object.putAll(table.name(), table.objects()));
                out.println(object);
            }
            case NDJSON -> {
                out.println(head());
                tables.forEach(table -> table.namedObjects(schema).forEach(out::println));
            }
        }
        out.flush();
    }

    private JsonObject head() {
        final JsonObject object = new JsonObject().put("schema", schema);
        fields.forEach(object::putCell);
        return object;
    }

    private void printLines(PrintWriter out) {
        if (!title.isEmpty()) {
            out.println(title);
        }
        for (final Table table : tables) {
            final String heading = headings.getOrDefault(table, "");
            if (!heading.isEmpty()) {
                out.println(heading);
            }
            if (table.size() > 0) {
                table.lines().forEach(out::println);
            }
        }
        notes.forEach(out::println);
    }
}
