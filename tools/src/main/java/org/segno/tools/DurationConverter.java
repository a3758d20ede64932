package org.segno.tools;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Times on the command line: {@code 100ns}, {@code 5us}, {@code 2ms}, {@code 30s}, {@code 5m}, {@code 1h}, fractions
 * allowed.
 */
public final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d{1,9}(?:\\.\\d{1,9})?)(ns|us|ms|s|m|h)");

    /** For picocli. */
    public DurationConverter() {}

    @Override
    public Duration convert(String value) {
        final Matcher matcher = FORM.matcher(value.trim().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new TypeConversionException(
                    "'" + value + "' is not a time: a number with its unit is, as in 100ns, 5us, 2ms, 30s, 5m, 1h");
        }
        return Duration.ofNanos(Math.round(Double.parseDouble(matcher.group(1)) * unitNs(matcher.group(2))));
    }

    private static long unitNs(String unit) {
        return switch (unit) {
            case "h" -> 3_600_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "s" -> 1_000_000_000L;
            case "ms" -> 1_000_000L;
            case "us" -> 1_000L;
            default -> 1L;
        };
    }
}
