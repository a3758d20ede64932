package org.segno.tools.run;

import java.util.List;

/** Words written so that a shell reads them back unchanged. */
final class ShellWords {
    private static final String HARMLESS = "[A-Za-z0-9_@%+=:,./-]+";

    private ShellWords() {}

    static String quote(String word) {
        return word.matches(HARMLESS) ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    static String join(List<String> words) {
        return String.join(" ", words.stream().map(ShellWords::quote).toList());
    }
}
