package org.segno.bench.report;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Fields of a JSON object that the writer of {@code segno} and {@code bench} has written. */
public final class JsonFields {
    private static final Pattern FIELD = Pattern.compile("\"(\\w+)\": (?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^,}\\]]+))");

    private JsonFields() {}

    /** Returns the fields of a JSON text by their names, at any depth. Of several with one name the last counts. */
    public static Map<String, String> of(String object) {
        final Map<String, String> fields = new LinkedHashMap<>();
        final Matcher field = FIELD.matcher(object);
        while (field.find()) {
            fields.put(field.group(1), field.group(2) == null ? field.group(3).strip() : field.group(2));
        }
        return fields;
    }
}
