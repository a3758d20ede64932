package org.segno.tools.run;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import org.segno.tools.CommandException;
import org.segno.tools.ExitCode;

/** Finds out before anything starts whether a plan's program is there, with the exit codes that a shell would give. */
final class Executable {
    private Executable() {}

    /**
     * Checks the working directory and the program.
     *
     * @throws CommandException with {@link ExitCode#NOT_FOUND}, {@link ExitCode#NOT_EXECUTABLE} or, for the directory,
     *     {@link ExitCode#NOT_FIT}.
     */
    static void check(LaunchPlan plan, String searchPath) {
        final Path directory = plan.directory();
        if (!Files.isDirectory(directory)) {
            throw new CommandException(ExitCode.NOT_FIT, "no such directory, set --wdir: " + directory);
        }
        final Program program = plan.program();
        if (program.needsFile()) {
            final Path file = directory.resolve(program.fileName());
            require(Files.isRegularFile(file), ExitCode.NOT_FOUND, "not found: " + program.fileName());
            require(Files.isReadable(file), ExitCode.NOT_EXECUTABLE, "cannot be read: " + program.fileName());
        }
        final String word = program.command().get(0);
        final int code = word.indexOf('/') >= 0 ? look(directory.resolve(word)) : search(word, directory, searchPath);
        require(code != ExitCode.NOT_FOUND, code, "not found: " + word);
        require(code != ExitCode.NOT_EXECUTABLE, code, "not executable: " + word);
    }

    private static int search(String word, Path directory, String searchPath) {
        int code = ExitCode.NOT_FOUND;
        for (final String entry : searchPath.split(File.pathSeparator, -1)) {
            // An empty entry is the working directory, as for a shell.
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
