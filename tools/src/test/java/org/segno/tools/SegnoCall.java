package org.segno.tools;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import java.util.Map;

/**
 * The command in this JVM, which saves the start of a process. What it writes to standard error is not caught.
 *
 * @param exitCode its exit code
 * @param lines lines on standard output
 */
public record SegnoCall(int exitCode, List<String> lines) {
    /** Runs the command. */
    public static SegnoCall of(String... arguments) {
        final StringWriter out = new StringWriter();
        final int exitCode = Segno.commandLine(arguments, Map.of())
                .setOut(new PrintWriter(out, true))
                .execute(arguments);
        return new SegnoCall(exitCode, out.toString().lines().toList());
    }
}
