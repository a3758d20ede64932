package org.segno.tools.demo.matrix;

import java.nio.file.Path;

/**
 * One line of a Matrix Market file, read token by token from left to right.
 *
 * <p>One object walks through the whole file. Every complaint names the file, the line, what was expected and what stood there.
 */
final class MatrixMarketLine {
    /** Longest piece of a bad line that a message repeats. */
    private static final int QUOTE_LIMIT = 40;

    private final Path file;
    private String text = "";
    private int position;
    private int number;

    MatrixMarketLine(Path file) {
        this.file = file;
    }

    /** Goes to the next line of the file, which is known to be {@code text}. */
    void advanceTo(String nextText) {
        text = nextText;
        position = 0;
        number++;
    }

    /** Number of the current line, counted from one. */
    int number() {
        return number;
    }

    boolean isBlankOrComment() {
        skipBlanks();
        return position == text.length() || text.charAt(position) == '%';
    }

    /** The next token, empty at the end of the line. */
    String token() {
        skipBlanks();
        final int start = position;
        while (position < text.length() && text.charAt(position) > ' ') {
            position++;
        }
        return text.substring(start, position);
    }

    /** A whole number of digits alone within {@code [smallest, largest]}. */
    int count(String what, int smallest, int largest) throws MatrixFormatException {
        skipBlanks();
        final int start = position;
        long value = 0;
        while (position < text.length() && isDigit(text.charAt(position)) && value <= largest) {
            value = value * 10 + text.charAt(position) - '0';
            position++;
        }
        final boolean ended = position == text.length() || text.charAt(position) <= ' ';
        if (position == start || !ended || value < smallest || value > largest) {
            position = start;
            throw unexpected(what + " between " + smallest + " and " + largest, token());
        }
        return (int) value;
    }

    double integer() throws MatrixFormatException {
        final String token = token();
        try {
            return Long.parseLong(token);
        } catch (NumberFormatException e) {
            throw unexpected("an integer value", token);
        }
    }

    /** A finite decimal number; Java's own additions to that notation (NaN, Infinity, hexadecimal, suffixes) are refused. */
    double real() throws MatrixFormatException {
        final String token = token();
        for (int i = 0; i < token.length(); i++) {
            final char character = token.charAt(i);
            if (!isDigit(character) && "+-.eE".indexOf(character) < 0) {
                throw unexpected("a finite real value", token);
            }
        }
        final double value;
        try {
            value = Double.parseDouble(token);
        } catch (NumberFormatException e) {
            throw unexpected("a finite real value", token);
        }
        if (Double.isInfinite(value)) {
            throw unexpected("a finite real value", token);
        }
        return value;
    }

    void end() throws MatrixFormatException {
        final String token = token();
        if (!token.isEmpty()) {
            throw unexpected("the end of the line", token);
        }
    }

    MatrixFormatException unexpected(String expected, String found) {
        final String quoted = found.length() > QUOTE_LIMIT ? found.substring(0, QUOTE_LIMIT) + "…" : found;
        return problem(
                "expected " + expected + ", found " + (found.isEmpty() ? "the end of the line" : "'" + quoted + "'"));
    }

    MatrixFormatException problem(String problem) {
        return new MatrixFormatException(file, number, problem);
    }

    private void skipBlanks() {
        while (position < text.length() && text.charAt(position) <= ' ') {
            position++;
        }
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }
}
