package org.segno.tools.output;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a command has to tell: a title, fields, and tables, in any {@link Format}. Used by one thread. */
public final class Report {
    private final String schema;
    private final String title;
    private final Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    private final List<Table> tables = new ArrayList<>();
    private final Map<Table, String> headings = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();

    /**
     * A report without contents.
     *
     * @param schema name and version of its shape, the first field in JSON
     * @param title its first line, for people; empty for none
     */
    public Report(String schema, String title) {
        this.schema = schema;
        this.title = title;
    }

    /** A field, for programs: people have the title. */
    public Report put(String name, @Nullable Object value) {
        fields.put(name, value);
        return this;
    }

    /** A table; people see it only if it has rows. */
    public Report add(Table table) {
        return add("", table);
    }

    /** A table with a line above it, for people, who see both only if it has rows or there is something to say. */
    public Report add(String heading, Table table) {
        tables.add(table);
        headings.put(table, heading);
        return this;
    }

    /** A line at the end, for people. */
    public Report note(String line) {
        notes.add(line);
        return this;
    }

    /** Writes it all. */
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
