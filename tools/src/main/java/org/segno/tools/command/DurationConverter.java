package org.segno.tools.command;

import java.time.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Converter of durations on the command line: {@code 100ns}, {@code 5us}, {@code 2ms}, {@code 30s}, {@code 5m}, {@code
 * 1h}. Fractions are allowed.
 */
public final class DurationConverter implements ITypeConverter<Duration> {
    private static final Pattern FORM = Pattern.compile("(\\d+(?:\\.\\d+)?)(ns|us|ms|s|m|h)");

    /** Longest duration, a hundred years: the sum of such a duration and a clock value fits 64 bits of nanoseconds. */
    public static final Duration LONGEST = Duration.ofDays(36_500);

    /** Creates a converter. Called by picocli. */
    public DurationConverter() {}

    @Override
    public Duration convert(String value) {
        final Matcher matcher = FORM.matcher(value.trim().toLowerCase(Locale.ROOT));
        if (!matcher.matches()) {
            throw new TypeConversionException(
                    "'" + value + "' is not a time: give a number with a unit, as in 100ns, 5us, 2ms, 30s, 5m, 1h");
        }
        final double ns = Double.parseDouble(matcher.group(1)) * unitNs(matcher.group(2));
        if (ns > LONGEST.toNanos()) {
            throw new TypeConversionException(
                    "'" + value + "' is too long: a time is at most " + LONGEST.toHours() + "h");
        }
        return Duration.ofNanos(Math.round(ns));
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
