package org.segno.tools.observe;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Set of ranks in the form of {@code --rank}: {@code 0,2-5}; {@code ^1} is all others, {@code 0-9,^3} ten but one. */
public final class RankSet implements Predicate<Integer> {
    private static final Pattern PART = Pattern.compile("(\\^?)(\\d{1,9})(?:-(\\d{1,9}))?");

    private final List<Range> parts;

    private RankSet(List<Range> parts) {
        this.parts = parts;
    }

    private record Range(boolean excluded, int first, int last) {
        boolean contains(int rank) {
            return rank >= first && rank <= last;
        }
    }

    /** Returns the set of all ranks. */
    public static RankSet all() {
        return new RankSet(List.of());
    }

    @Override
    public boolean test(Integer rank) {
        final boolean excludesOnly = parts.stream().allMatch(Range::excluded);
        return (excludesOnly || parts.stream().anyMatch(part -> !part.excluded() && part.contains(rank)))
                && parts.stream().noneMatch(part -> part.excluded() && part.contains(rank));
    }

    /** Converter of {@code 0,2-5,^3}. Used by picocli. */
    public static final class Converter implements ITypeConverter<RankSet> {
        /** Creates a converter. Called by picocli. */
        public Converter() {}

        @Override
        public RankSet convert(String value) {
            final List<Range> parts = new ArrayList<>();
            for (final String text : value.split(",", -1)) {
                final Matcher part = PART.matcher(text.trim());
                if (!part.matches()) {
                    throw new TypeConversionException("'" + value
                            + "' is not a set of ranks: use numbers and ranges with commas, ^ excludes: 0,2-5 or ^1");
                }
                final int first = Integer.parseInt(part.group(2));
                final int last = part.group(3) == null ? first : Integer.parseInt(part.group(3));
                parts.add(new Range(!part.group(1).isEmpty(), first, last));
            }
            return new RankSet(parts);
        }
    }
}
