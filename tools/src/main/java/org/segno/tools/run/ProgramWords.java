package org.segno.tools.run;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.tools.program.ClassPath;
import org.segno.tools.program.Program;

/**
 * The words of a command line from PROGRAM on.
 *
 * @param classPath the value of {@code -cp}, null if it is not given
 * @param delimited true if {@code --} precedes the words
 * @param words the program and its arguments
 */
record ProgramWords(@Nullable String classPath, boolean delimited, List<String> words) {
    /** The separator between the parts of a job. */
    static final String SEPARATOR = ":";

    /**
     * Returns the words of the first part in {@code words}.
     *
     * @param all the whole command line; the word in it before {@code words} shows whether {@code --} precedes them,
     *     which picocli does not report
     * @param words the last words of {@code all}
     */
    static ProgramWords of(@Nullable String classPath, List<String> all, List<String> words) {
        final int before = all.size() - words.size() - 1;
        final int end = words.indexOf(SEPARATOR);
        return new ProgramWords(
                classPath, before >= 0 && all.get(before).equals("--"), end < 0 ? words : words.subList(0, end));
    }

    /**
     * Returns the program that the words name.
     *
     * @throws IllegalArgumentException if they name none.
     */
    Program program(Path workingDirectory) {
        if (words.isEmpty()) {
            throw new IllegalArgumentException("no PROGRAM: app.jar, -cp CP Main, Single.java or -- any-command");
        }
        final String first = words.get(0);
        final List<String> arguments = words.subList(1, words.size());
        if (classPath != null) {
            return Program.main(ClassPath.withSegno(classPath, workingDirectory), first, arguments);
        }
        if (delimited) {
            return Program.command(words);
        }
        if (first.endsWith(".jar")) {
            return Program.jar(first, arguments);
        }
        if (first.endsWith(".java")) {
            return Program.source(first, arguments);
        }
        throw new IllegalArgumentException("'" + first
                + "' is neither a .jar nor a .java file: put '--' before a command, or -cp CP before a main class");
    }
}
