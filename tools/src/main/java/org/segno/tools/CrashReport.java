package org.segno.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.segno.tools.command.Console;
import org.segno.tools.command.Version;

/** File with the details of a bug in segno, for the user to attach to a report. */
final class CrashReport {
    private CrashReport() {}

    /**
     * Writes the details to a new file in the temporary directory and prints its name. If that fails, prints the
     * details on standard error.
     */
    static void write(Throwable bug, List<String> arguments, Map<String, String> environment, Console console) {
        final String details = details(bug, arguments, environment);
        console.problem("this is a bug in segno: " + bug);
        try {
            final Path file = Files.createTempFile("segno-bug-", ".txt");
            Files.writeString(file, details);
            console.problem("please report it and attach " + file);
        } catch (final IOException e) {
            console.problem(
                    "please report it with the details below (no file could be written: " + e + ")\n" + details);
        }
    }

    static String details(Throwable bug, List<String> arguments, Map<String, String> environment) {
        final StringWriter text = new StringWriter();
        final PrintWriter writer = new PrintWriter(text);
        writer.println("segno " + Version.number());
        writer.println("arguments " + arguments);
        for (final String property : new String[] {"java.vendor", "java.version", "os.name", "os.version", "os.arch"}) {
            writer.println(property + " " + System.getProperty(property));
        }
        writer.println("cores " + Runtime.getRuntime().availableProcessors());
        // Variables of segno only: the rest of the environment may contain secrets.
        new TreeMap<>(environment).forEach((name, value) -> {
            if (name.startsWith("SEGNO_")) {
                writer.println(name + "=" + value);
            }
        });
        bug.printStackTrace(writer);
        writer.flush();
        return text.toString();
    }
}
