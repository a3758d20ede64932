package org.segno.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.segno.bench.harness.Distance;

/**
 * Run that {@code bench} has written as JSON.
 *
 * @param environment processor, cores, commit and date, for people
 * @param rows rows by their names, in their order
 */
public record SavedRun(String environment, Map<String, SavedRow> rows) {
    private static final Pattern SCHEMA = Pattern.compile("^\\{\"schema\": \"segno-bench-1\",");
    private static final Pattern ROW = Pattern.compile("\\{\"test\": [^\\[\\]{}]*\"xProbe\": [^\\[\\]{}]*\\}");
    private static final Pattern SLICES =
            Pattern.compile("\\{\"test\": [^\\[\\]{}]*\"figures\": \\[([^\\]]*)\\], \"probesNs\": \\[([^\\]]*)\\]\\}");
    private static final String ROWS = "\"rows\": [";

    /**
     * One row of a saved run.
     *
     * @param name test, size, peer and metric
     * @param median median in the metric's unit
     * @param unit unit of the median
     * @param xProbe time divided by the probe around it; NaN if the metric is not a time
     * @param medians medians by the distance of the cores, near or far, if the file has the figures of the slices;
     *     otherwise the one of the row
     */
    public record SavedRow(
            String name, double median, String unit, double xProbe, Map<Distance, DistanceMedian> medians) {
        /** Copies the map. */
        public SavedRow {
            medians = Map.copyOf(medians);
        }
    }

    /**
     * Median of the slices of one distance of the cores.
     *
     * @param figure in the metric's unit
     * @param slices number of the slices
     */
    public record DistanceMedian(double figure, int slices) {}

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
        final Map<String, Map<Distance, DistanceMedian>> medians = medians(text);
        final Map<String, SavedRow> rows = new LinkedHashMap<>();
        final Matcher row = ROW.matcher(text).region(start, text.length());
        while (row.find()) {
            final SavedRow saved = row(JsonFields.of(row.group()), medians);
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

    private static SavedRow row(Map<String, String> fields, Map<String, Map<Distance, DistanceMedian>> medians) {
        final String name = name(fields);
        final double median = number(fields.get("median"));
        final Map<Distance, DistanceMedian> own = new EnumMap<>(Distance.class);
        final Distance distance =
                Distance.valueOf(fields.getOrDefault("state", "mixed").toUpperCase(Locale.ROOT));
        if (distance != Distance.MIXED) {
            own.put(distance, new DistanceMedian(median, (int) number(fields.getOrDefault("slices", "1"))));
        }
        return new SavedRow(
                name,
                median,
                fields.getOrDefault("unit", ""),
                number(fields.get("xProbe")),
                medians.getOrDefault(name, own));
    }

    private static String name(Map<String, String> fields) {
        return fields.get("test") + " " + fields.get("size") + ", " + fields.get("peer") + ", " + fields.get("metric");
    }

    /** Returns the medians of the near and of the far slices, by the names of their rows. */
    private static Map<String, Map<Distance, DistanceMedian>> medians(String text) {
        final Map<String, Map<Distance, DistanceMedian>> medians = new HashMap<>();
        final Matcher slices = SLICES.matcher(text);
        while (slices.find()) {
            final double[] figures = numbers(slices.group(1));
            final double[] probes = numbers(slices.group(2));
            final Map<Distance, DistanceMedian> own = new EnumMap<>(Distance.class);
            for (final Distance distance : new Distance[] {Distance.NEAR, Distance.FAR}) {
                final double[] some = IntStream.range(0, Math.min(figures.length, probes.length))
                        .filter(i -> Distance.of(probes[i]) == distance)
                        .mapToDouble(i -> figures[i])
                        .sorted()
                        .toArray();
                if (some.length > 0) {
                    own.put(distance, new DistanceMedian(Row.median(some), some.length));
                }
            }
            medians.put(name(JsonFields.of(slices.group())), own);
        }
        return medians;
    }

    private static double[] numbers(String list) {
        return Arrays.stream(list.split(","))
                .map(String::strip)
                .filter(number -> !number.isEmpty())
                .mapToDouble(SavedRun::number)
                .toArray();
    }

    private static double number(@Nullable String text) {
        return text == null || text.equals("null") ? Double.NaN : Double.parseDouble(text);
    }
}
