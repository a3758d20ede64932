package org.segno.tools.run;

import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.segno.tools.program.ClassPath;
import org.segno.tools.program.Program;

/**
 * The words of a command line from PROGRAM on.
 *
 * @param classPath what {@code -cp} says, null where it is not given
 * @param delimited whether they stand behind {@code --}
 * @param words the program and its arguments
 */
record ProgramWords(@Nullable String classPath, boolean delimited, List<String> words) {
    /** What separates the parts of a job. */
    static final String SEPARATOR = ":";

    /** {@code words} are the last of {@code all}; whether {@code --} stands before them, picocli does not say. */
    static ProgramWords of(@Nullable String classPath, List<String> all, List<String> words) {
        final int before = all.size() - words.size() - 1;
        final int end = words.indexOf(SEPARATOR);
        return new ProgramWords(
                classPath, before >= 0 && all.get(before).equals("--"), end < 0 ? words : words.subList(0, end));
    }

    /**
     * The program that they name.
     *
     * @throws IllegalArgumentException when they name none.
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
        throw new IllegalArgumentException(
                "'" + first + "' is no .jar and no .java file: put '--' before a command, -cp CP before a main class");
    }
}
