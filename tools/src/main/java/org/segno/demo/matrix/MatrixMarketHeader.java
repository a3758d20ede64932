package org.segno.demo.matrix;

import java.util.List;
import java.util.Locale;

/**
 * First line of a Matrix Market file, which describes its entries.
 *
 * @param field type of the value that follows the two indices of an entry
 * @param symmetric true if only the lower triangle is stored
 */
record MatrixMarketHeader(Field field, boolean symmetric) {
    /** First word of every Matrix Market file. */
    static final String BANNER = "%%MatrixMarket";

    /** Description of the expected line in messages. */
    static final String EXPECTED = "'" + BANNER + " matrix coordinate …'";

    /** Types of values. */
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
