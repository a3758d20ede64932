package org.segno.tools.run.plan;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import org.segno.tools.command.CommandException;
import org.segno.tools.command.ExitCode;
import org.segno.tools.program.Java;
import org.segno.tools.program.Program;

/** Checks, before the start, that the programs of a plan exist. Failures have the exit codes that a shell returns. */
public final class Executable {
    private Executable() {}

    /**
     * Checks the working directories and the programs of all parts.
     *
     * @throws CommandException if one is missing: for a program with {@link ExitCode#NOT_FOUND} or {@link
     *     ExitCode#NOT_EXECUTABLE}, for a directory with {@link ExitCode#NOT_FIT}.
     */
    public static void check(LaunchPlan plan, String searchPath) {
        for (final JobPart part : plan.parts()) {
            check(part, plan.java(), searchPath);
        }
    }

    private static void check(JobPart part, Java java, String searchPath) {
        final Path directory = part.directory();
        if (!Files.isDirectory(directory)) {
            throw new CommandException(
                    ExitCode.NOT_FIT, "no such directory: " + directory + "; set --wdir to an existing one");
        }
        final Program program = part.program();
        if (program.needsFile()) {
            final Path file = directory.resolve(program.fileName());
            require(Files.isRegularFile(file), ExitCode.NOT_FOUND, "not found: " + program.fileName());
            require(Files.isReadable(file), ExitCode.NOT_EXECUTABLE, "cannot be read: " + program.fileName());
        }
        final String word = program.command(java).get(0);
        final int code = word.indexOf('/') >= 0 ? look(directory.resolve(word)) : search(word, directory, searchPath);
        require(code != ExitCode.NOT_FOUND, code, "not found: " + word);
        require(code != ExitCode.NOT_EXECUTABLE, code, "not executable: " + word);
    }

    /**
     * Checks that a program of the system exists.
     *
     * @throws CommandException with {@link ExitCode#NOT_FIT} and the remedy if it does not.
     */
    public static void require(String word, String remedy, String searchPath) {
        require(search(word, Path.of(""), searchPath) == ExitCode.DONE, ExitCode.NOT_FIT, remedy);
    }

    private static int search(String word, Path directory, String searchPath) {
        int code = ExitCode.NOT_FOUND;
        for (final String entry : searchPath.split(File.pathSeparator, -1)) {
            // An empty entry means the working directory, as in a shell.
            final int found = look(directory.resolve(entry).resolve(word));
            if (found == ExitCode.DONE) {
                return found;
            }
            code = Math.min(code, found);
        }
        return code;
    }

    private static int look(Path file) {
        if (!Files.exists(file)) {
            return ExitCode.NOT_FOUND;
        }
        return Files.isRegularFile(file) && Files.isExecutable(file) ? ExitCode.DONE : ExitCode.NOT_EXECUTABLE;
    }

    private static void require(boolean condition, int exitCode, String message) {
        if (!condition) {
            throw new CommandException(exitCode, message);
        }
    }
}
