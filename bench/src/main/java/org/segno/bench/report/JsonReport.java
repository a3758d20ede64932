package org.segno.bench.report;

import java.util.Locale;
import java.util.stream.Collectors;

/** Result as JSON: an array of objects, one for each row. */
public final class JsonReport {
    private JsonReport() {}

    /** Returns the text, with a line end after the last bracket. */
    public static String of(Result result) {
        return result.rows().stream().map(JsonReport::object).collect(Collectors.joining(",\n  ", "[\n  ", "\n]\n"));
    }

    private static String object(Row row) {
        return String.format(
                Locale.ROOT,
                "{\"peer\": %s, \"test\": %s, \"size\": %d, \"metric\": %s, \"unit\": %s, \"best\": %s,"
                        + " \"median\": %s, \"worst\": %s, \"xProbe\": %s, \"state\": %s, \"slices\": %d}",
                string(row.experiment().peer()),
                string(row.experiment().test()),
                row.experiment().size(),
                string(row.metric().label()),
                string(row.metric().unit()),
                number(row.best()),
                number(row.median()),
                number(row.worst()),
                number(row.xProbe()),
                string(row.distance().label()),
                row.sliceCount());
    }

    private static String number(double value) {
        return Double.isFinite(value) ? String.format(Locale.ROOT, "%.4g", value) : "null";
    }

    private static String string(String text) {
        final StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++) {
            final char character = text.charAt(i);
            if (character == '"' || character == '\\') {
                quoted.append('\\').append(character);
            } else if (character < ' ') {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int) character));
            } else {
                quoted.append(character);
            }
        }
        return quoted.append('"').toString();
    }
}
