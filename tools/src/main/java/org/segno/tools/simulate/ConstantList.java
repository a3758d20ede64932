package org.segno.tools.simulate;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.TypeConversionException;

/** Lists of constants of an enum on the command line: {@code cut,crash}, or {@code ^late} for all but one. */
final class ConstantList {
    private ConstantList() {}

    /**
     * Returns the constants in a list.
     *
     * @param form beginning of the text that lists the valid values
     */
    static <E extends Enum<E>> Set<E> parse(String list, Class<E> type, String form) {
        final Set<E> chosen = list.startsWith("^") ? EnumSet.allOf(type) : EnumSet.noneOf(type);
        for (final String word : list.trim().toLowerCase(Locale.ROOT).split(",", -1)) {
            final String name = word.startsWith("^") ? word.substring(1) : word;
            final E constant = Stream.of(type.getEnumConstants())
                    .filter(each -> text(each).equals(name))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + name + "' is not one of them: " + form + " "
                            + text(EnumSet.allOf(type)).replace(",", ", ")));
            if (word.startsWith("^")) {
                chosen.remove(constant);
            } else {
                chosen.add(constant);
            }
        }
        return chosen;
    }

    /** Returns the list of these constants. */
    static String text(Collection<? extends Enum<?>> constants) {
        return constants.stream().map(ConstantList::text).collect(Collectors.joining(","));
    }

    /** Returns a constant as users write it. */
    static String text(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
