package org.segno.tools.process;

import java.util.ArrayList;
import java.util.List;

/** Words written so that a shell reads them back unchanged. */
public final class ShellWords {
    private static final String HARMLESS = "[A-Za-z0-9_@%+=:,./-]+";

    private ShellWords() {}

    /** One word, in quotes where it needs them. */
    public static String quote(String word) {
        return word.matches(HARMLESS) ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** Several words, a space between them. */
    public static String join(List<String> words) {
        return String.join(" ", words.stream().map(ShellWords::quote).toList());
    }

    /**
     * Takes a line apart as a shell does: spaces between words, quotes of both kinds, backslashes; nothing is replaced.
     *
     * @throws IllegalArgumentException when a quote has no end.
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
