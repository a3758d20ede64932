package org.segno.tools.inspect;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.segno.tools.command.CommandException;
import picocli.CommandLine;

/** The command in the test's own process. */
final class Inspection {
    private Inspection() {}

    /** Inspects a directory, and returns the exit code. {@code out} then has the output alone. */
    static int run(Path directory, StringWriter out, String... arguments) {
        out.getBuffer().setLength(0);
        return new CommandLine(new InspectCommand())
                .setOut(new PrintWriter(out))
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    if (failure instanceof CommandException expected) {
                        out.write(String.valueOf(expected.getMessage()));
                        return expected.exitCode();
                    }
                    throw failure;
                })
                .execute(Stream.concat(Stream.of(directory.toString()), Stream.of(arguments))
                        .toArray(String[]::new));
    }
}
