package org.segno.tools.run.plan;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A range of ports, the bounds included.
 *
 * @param first the lowest port
 * @param last the highest port
 */
public record PortRange(int first, int last) {
    private static final int HIGHEST = 65_535;
    private static final Pattern FORM = Pattern.compile("([0-9]{1,5}):([0-9]{1,5})");

    /** Checks the bounds. */
    public PortRange {
        if (first < 1 || first > last || last > HIGHEST) {
            throw new IllegalArgumentException(
                    "--port-range takes A:B with 1 <= A <= B <= " + HIGHEST + ": '" + first + ":" + last + "'");
        }
    }

    /**
     * Parses {@code A:B}.
     *
     * @throws IllegalArgumentException if the text is malformed or a bound is out of range.
     */
    public static PortRange parse(String text) {
        final Matcher matcher = FORM.matcher(text.trim());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("--port-range takes A:B, as 7001:7100: '" + text + "'");
        }
        return new PortRange(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
    }

    @Override
    public String toString() {
        return first + ":" + last;
    }
}
