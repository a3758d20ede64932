package org.segno.tools.output;

import java.util.Locale;

/** Formatting of numbers with their units, for people. */
public final class Quantity {
    private static final double MEBIBYTE = 1 << 20;
    private static final double GIBIBYTE = 1 << 30;

    /** Figures from here on have no decimals, and those below {@link #TEN} two. */
    private static final double THOUSAND = 1_000;

    private static final double TEN = 10;

    private Quantity() {}

    /** Returns a measured figure with about three digits: {@code 1.23}, {@code 12.3}, {@code 123.4}, {@code 1,234}. */
    public static String ofFigure(double figure) {
        if (figure >= THOUSAND) {
            return String.format(Locale.ROOT, "%,.0f", figure);
        }
        return String.format(Locale.ROOT, figure >= TEN ? "%.1f" : "%.2f", figure);
    }

    /** Returns a count with its noun: {@code 1 rank}, {@code 4 ranks}, {@code 110,592 rows}. */
    public static String of(long count, String noun) {
        return of(count, noun, "", "s");
    }

    /** Returns a count with a noun whose plural has another ending: {@code of(2, "entr", "y", "ies")}. */
    public static String of(long count, String stem, String one, String many) {
        return String.format(Locale.ROOT, "%,d %s%s", count, stem, count == 1 ? one : many);
    }

    /** Returns a number of bytes: {@code 3.8 MiB}, {@code 23.5 GiB}. */
    public static String ofBytes(long bytes) {
        return bytes < GIBIBYTE
                ? String.format(Locale.ROOT, "%.1f MiB", bytes / MEBIBYTE)
                : String.format(Locale.ROOT, "%.1f GiB", bytes / GIBIBYTE);
    }
}
