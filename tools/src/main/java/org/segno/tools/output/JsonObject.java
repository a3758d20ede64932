package org.segno.tools.output;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One JSON object, written field by field in the order of the calls.
 *
 * <p>Infinities and NaN, which JSON cannot express, are written as {@code null}. Used by one thread.
 */
public final class JsonObject {
    private final StringBuilder text = new StringBuilder("{");

    /** Adds a string, or {@code null}. */
    public JsonObject put(String name, @Nullable String value) {
        name(name);
        if (value == null) {
            text.append("null");
        } else {
            quote(value);
        }
        return this;
    }

    /** Adds a whole number. */
    public JsonObject put(String name, long value) {
        name(name);
        text.append(value);
        return this;
    }

    /** Adds a number in full precision. */
    public JsonObject put(String name, double value) {
        name(name);
        text.append(Double.isFinite(value) ? Double.toString(value) : "null");
        return this;
    }

    /** Adds true or false. */
    public JsonObject put(String name, boolean value) {
        name(name);
        text.append(value);
        return this;
    }

    /** Adds an object. */
    public JsonObject putObject(String name, JsonObject value) {
        name(name);
        text.append(value);
        return this;
    }

    /** Adds an array of numbers in full precision. */
    public JsonObject putNumbers(String name, double[] values) {
        name(name);
        text.append(Arrays.stream(values)
                .mapToObj(value -> Double.isFinite(value) ? Double.toString(value) : "null")
                .collect(Collectors.joining(", ", "[", "]")));
        return this;
    }

    /** Adds an array of objects. */
    public JsonObject putAll(String name, List<JsonObject> objects) {
        name(name);
        text.append(objects);
        return this;
    }

    /** Adds a string, a number, an array of numbers, a boolean or null. Any other object is added as its text. */
    JsonObject putCell(String name, @Nullable Object cell) {
        if (cell instanceof Boolean truth) {
            return put(name, truth.booleanValue());
        }
        if (cell instanceof Double number) {
            return put(name, number.doubleValue());
        }
        if (cell instanceof Number number) {
            return put(name, number.longValue());
        }
        if (cell instanceof double[] values) {
            return putNumbers(name, values);
        }
        return put(name, cell == null ? null : cell.toString());
    }

    /** Returns the object, on one line. */
    @Override
    public String toString() {
        return text + "}";
    }

    private void name(String name) {
        if (text.length() > 1) {
            text.append(", ");
        }
        quote(name);
        text.append(": ");
    }

    private void quote(String value) {
        text.append('"');
        for (int i = 0; i < value.length(); i++) {
            final char character = value.charAt(i);
            if (character == '"' || character == '\\') {
                text.append('\\').append(character);
            } else if (character < ' ') {
                text.append("\\u00").append(Character.forDigit(character >> 4, 16));
                text.append(Character.forDigit(character & 15, 16));
            } else {
                text.append(character);
            }
        }
        text.append('"');
    }
}
