package org.segno.simulator;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A defect that a test seeds into the engine: one change of the source of one class.
 *
 * @param defect what is wrong then, in words
 * @param type name of the class below {@code org.segno}
 * @param original text that occurs exactly once in the source; any white space in it matches any other
 * @param replacement text in its place
 */
record Canary(String defect, String type, String original, String replacement) {
    private static final Pattern SPACE = Pattern.compile("\\s+");
    private static final Path SOURCES = Path.of("src", "main", "java", "org", "segno");

    /** Returns the full name of the changed class. */
    String className() {
        return "org.segno." + type;
    }

    /** Returns the source of the class without the change. */
    String originalSource() {
        try {
            return Files.readString(SOURCES.resolve(type.replace('.', '/') + ".java"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Returns the source of the class with the change.
     *
     * @throws IllegalStateException unless the original text occurs exactly once
     */
    String changedSource() {
        final String source = originalSource();
        final String pattern =
                SPACE.splitAsStream(original).map(Pattern::quote).collect(Collectors.joining(SPACE.pattern()));
        final Matcher matcher = Pattern.compile(pattern).matcher(source);
        final long count = matcher.results().count();
        if (count != 1) {
            throw new IllegalStateException("the text of a canary must occur once in " + type + ": count=" + count
                    + ", text=" + original + "; choose another text");
        }
        return matcher.reset().replaceFirst(Matcher.quoteReplacement(replacement));
    }

    @Override
    public String toString() {
        return defect;
    }
}
