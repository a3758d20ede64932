package org.segno.tools.process;

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
}
