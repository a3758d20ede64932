package org.segno.demo.matrix;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;

/**
 * One line of a Matrix Market file, read token by token from left to right.
 *
 * <p>One object moves through the whole file. Every error message names the file, the line, the expected content and
 * the content found.
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

    /** Advances to the next line of the file, which is {@code nextText}. */
    void advanceTo(String nextText) {
        text = nextText;
        position = 0;
        number++;
    }

    /** Returns the number of the current line, counted from one. */
    int number() {
        return number;
    }

    boolean isBlankOrComment() {
        skipBlanks();
        return position == text.length() || text.charAt(position) == '%';
    }

    /** Returns the next token, empty at the end of the line. */
    String token() {
        skipBlanks();
        final int start = position;
        while (position < text.length() && !isBlank(text.charAt(position))) {
            position++;
        }
        return text.substring(start, position);
    }

    /** Reads a whole number within {@code [smallest, largest]}, written with digits only. */
    int count(String what, int smallest, int largest) throws MatrixFormatException {
        skipBlanks();
        final int start = position;
        long value = 0;
        while (position < text.length() && isDigit(text.charAt(position)) && value <= largest) {
            value = value * 10 + text.charAt(position) - '0';
            position++;
        }
        final boolean ended = position == text.length() || isBlank(text.charAt(position));
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

    /**
     * Reads a finite decimal number. Java's own additions to that notation (NaN, Infinity, hexadecimal, suffixes) are
     * rejected.
     */
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
        return problem("expected " + expected + ", found " + quote(found));
    }

    /**
     * Quotes a piece of the file as its author sees it: UTF-8 if it is valid, else Latin-1. Control characters are
     * shown by their number.
     */
    String quote(String found) {
        if (found.isEmpty()) {
            return "the end of the line";
        }
        if (found.indexOf('\0') >= 0) {
            return "a NUL byte: this is not a text file, or it is damaged";
        }
        final CharBuffer characters = CharBuffer.allocate(found.length());
        final ByteBuffer bytes = ByteBuffer.wrap(found.getBytes(StandardCharsets.ISO_8859_1));
        // The end-of-input flag is false, because the last character may have been cut in two.
        final boolean isText = !StandardCharsets.UTF_8
                .newDecoder()
                .decode(bytes, characters, false)
                .isError();
        final String decoded = characters.flip().toString();
        final String read = isText && !decoded.isEmpty() ? decoded : found;
        final StringBuilder quoted = new StringBuilder("'");
        read.codePoints().limit(QUOTE_LIMIT).forEach(character -> {
            if (Character.isISOControl(character)) {
                quoted.append(String.format(Locale.ROOT, "\\x%02x", character));
            } else {
                quoted.appendCodePoint(character);
            }
        });
        return quoted.append(read.codePointCount(0, read.length()) > QUOTE_LIMIT ? "…'" : "'")
                .toString();
    }

    MatrixFormatException problem(String problem) {
        return new MatrixFormatException(file, number, problem);
    }

    private void skipBlanks() {
        while (position < text.length() && isBlank(text.charAt(position))) {
            position++;
        }
    }

    /**
     * Returns true for the characters that C's isspace accepts, which excludes NUL and the other control characters.
     */
    private static boolean isBlank(char character) {
        return character == ' ' || (character >= '\t' && character <= '\r');
    }

    private static boolean isDigit(char character) {
        return character >= '0' && character <= '9';
    }
}
