package org.segno.tools.process;

import java.util.ArrayList;
import java.util.List;

/** Quoting and splitting of words as a shell does. */
public final class ShellWords {
    private static final String HARMLESS = "[A-Za-z0-9_@%+=:,./-]+";

    private ShellWords() {}

    /** Returns one word, quoted if necessary. */
    public static String quote(String word) {
        return word.matches(HARMLESS) ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** Returns several words, quoted and separated by spaces. */
    public static String join(List<String> words) {
        return String.join(" ", words.stream().map(ShellWords::quote).toList());
    }

    /**
     * Splits a line as a shell does: spaces between words, quotes of both kinds, backslashes. Nothing is expanded.
     *
     * @throws IllegalArgumentException if a quote has no end
     */
    public static List<String> split(String line) {
        final List<String> words = new ArrayList<>();
        final StringBuilder word = new StringBuilder();
        boolean started = false;
        char quote = 0;
        for (int index = 0; index < line.length(); index++) {
            final char letter = line.charAt(index);
            final boolean escape = letter == '\\' && quote != '\'' && index + 1 < line.length();
            if (quote == 0 && Character.isWhitespace(letter)) {
                if (started) {
                    words.add(word.toString());
                    word.setLength(0);
                }
                started = false;
                continue;
            }
            started = true;
            if (escape) {
                index++;
                word.append(line.charAt(index));
            } else if (letter == quote) {
                quote = 0;
            } else if (quote == 0 && (letter == '\'' || letter == '"')) {
                quote = letter;
            } else {
                word.append(letter);
            }
        }
        if (quote != 0) {
            throw new IllegalArgumentException("a " + quote + " has no end: " + line);
        }
        if (started) {
            words.add(word.toString());
        }
        return words;
    }
}
