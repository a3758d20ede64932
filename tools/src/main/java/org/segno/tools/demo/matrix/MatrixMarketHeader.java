package org.segno.tools.demo.matrix;

import java.util.List;
import java.util.Locale;

/**
 * What the first line of a Matrix Market file says of the entries below.
 *
 * @param field what stands behind the two indices of an entry.
 * @param symmetric whether only the lower triangle is stored.
 */
record MatrixMarketHeader(Field field, boolean symmetric) {
    /** What the line of every Matrix Market file begins with. */
    static final String BANNER = "%%MatrixMarket";

    /** What a message says that it is. */
    static final String EXPECTED = "'" + BANNER + " matrix coordinate …'";

    /** The kind of a value. */
    enum Field {
        REAL,
        INTEGER,
        PATTERN
    }

    static MatrixMarketHeader parse(MatrixMarketLine line) throws MatrixFormatException {
        final String banner = line.token();
        if (!banner.equals(BANNER)) {
            throw line.unexpected(EXPECTED, banner);
        }
        choice(line, "object", List.of("matrix"));
        choice(line, "format", List.of("coordinate"));
        final String field = choice(line, "field", List.of("real", "integer", "pattern"));
        final String symmetry = choice(line, "symmetry", List.of("general", "symmetric"));
        line.end();
        return new MatrixMarketHeader(Field.valueOf(field.toUpperCase(Locale.ROOT)), symmetry.equals("symmetric"));
    }

    double value(MatrixMarketLine line) throws MatrixFormatException {
        return switch (field) {
            case REAL -> line.real();
            case INTEGER -> line.integer();
            case PATTERN -> 1;
        };
    }

    private static String choice(MatrixMarketLine line, String what, List<String> choices)
            throws MatrixFormatException {
        final String token = line.token();
        final String choice = token.toLowerCase(Locale.ROOT);
        if (!choices.contains(choice)) {
            throw line.unexpected(what + " " + String.join(" or ", choices), token);
        }
        return choice;
    }
}
