package org.segno.tools.simulate;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Seeds of a command.
 *
 * @param first the first one
 * @param last the last one, {@code first} or higher
 */
record SeedRange(long first, long last) {
    SeedRange {
        if (last < first || last - first < 0 || last - first == Long.MAX_VALUE) {
            throw new IllegalArgumentException("seeds must be from a lower to a higher one: " + first + ".." + last);
        }
    }

    static SeedRange of(long seed) {
        return new SeedRange(seed, seed);
    }

    /** Returns the number of seeds. */
    long count() {
        return last - first + 1;
    }

    @Override
    public String toString() {
        return count() == 1 ? "seed " + first : "seeds " + first + ".." + last;
    }

    /** Converter of {@code 1..10000}. */
    static final class Converter implements ITypeConverter<SeedRange> {
        private static final Pattern FORM = Pattern.compile("(-?\\d+)\\.\\.(-?\\d+)");

        @Override
        public SeedRange convert(String value) {
            final Matcher matcher = FORM.matcher(value.trim());
            try {
                if (matcher.matches()) {
                    return new SeedRange(Long.parseLong(matcher.group(1)), Long.parseLong(matcher.group(2)));
                }
            } catch (final IllegalArgumentException expected) {
                // Too large a number, or a range from a higher to a lower one: the message below names the form.
            }
            throw new TypeConversionException(
                    "'" + value + "' is not a range of seeds: give the first and the last one, as in 1..10000");
        }
    }
}
