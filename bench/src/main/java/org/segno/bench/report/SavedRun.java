package org.segno.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Run that {@code bench} has written as JSON.
 *
 * @param environment processor, cores, commit and date, for people
 * @param rows rows by their names, in their order
 */
public record SavedRun(String environment, Map<String, SavedRow> rows) {
    private static final Pattern SCHEMA = Pattern.compile("^\\{\"schema\": \"segno-bench-1\",");
    private static final Pattern ROW = Pattern.compile("\\{\"test\": [^\\[\\]{}]*\"xProbe\": [^\\[\\]{}]*\\}");
    private static final String ROWS = "\"rows\": [";

    /**
     * One row of a saved run.
     *
     * @param name test, size, peer and metric
     * @param median median in the metric's unit
     * @param unit unit of the median
     * @param xProbe time divided by the probe around it; NaN if the metric is not a time
     */
    public record SavedRow(String name, double median, String unit, double xProbe) {}

    /**
     * Reads a file that {@code bench} has written.
     *
     * @throws IOException if it cannot be read, is cut off or has another schema
     */
    public static SavedRun read(Path file) throws IOException {
        final String text = text(file);
        final int start = text.indexOf(ROWS);
        if (!SCHEMA.matcher(text).find() || start < 0) {
            throw new IOException(
                    "not a result of 'bench', which has the schema segno-bench-1 (bench --format json): " + file);
        }
        if (!text.stripTrailing().endsWith("]}")) {
            throw new IOException("cut off, it does not end as a result of 'bench' does: " + file);
        }
        final Map<String, String> head = JsonFields.of(text.substring(0, start));
        final Map<String, SavedRow> rows = new LinkedHashMap<>();
        final Matcher row = ROW.matcher(text).region(start, text.length());
        while (row.find()) {
            final SavedRow saved = row(JsonFields.of(row.group()));
            rows.put(saved.name(), saved);
        }
        return new SavedRun(
                String.join(
                        " · ",
                        head.getOrDefault("cpu", "unknown processor"),
                        head.getOrDefault("cores", "?") + " cores",
                        "JDK " + head.getOrDefault("jdk", "?"),
                        "commit " + head.getOrDefault("commit", "?"),
                        head.getOrDefault("date", "?")),
                rows);
    }

    private static String text(Path file) throws IOException {
        try {
            return Files.readString(file);
        } catch (NoSuchFileException e) {
            throw new IOException("no such file: " + file, e);
        } catch (IOException e) {
            throw new IOException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }

    private static SavedRow row(Map<String, String> fields) {
        return new SavedRow(
                fields.get("test") + " " + fields.get("size") + ", " + fields.get("peer") + ", " + fields.get("metric"),
                number(fields.get("median")),
                fields.getOrDefault("unit", ""),
                number(fields.get("xProbe")));
    }

    private static double number(@Nullable String text) {
        return text == null || text.equals("null") ? Double.NaN : Double.parseDouble(text);
    }
}
