package org.segno.tools;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The details of a bug in segno, written to a file that the user can send along with a report. */
final class CrashReport {
    private CrashReport() {}

    /**
     * Writes the details into a new file of the temporary directory and says so; when that fails the details follow on
     * standard error.
     */
    static void write(Throwable bug, List<String> arguments, Map<String, String> environment, Talk talk) {
        final String details = details(bug, arguments, environment);
        talk.problem("this is a bug in segno: " + bug);
        try {
            final Path file = Files.createTempFile("segno-bug-", ".txt");
            Files.writeString(file, details);
            talk.problem("please report it and attach " + file);
        } catch (final IOException e) {
            talk.problem("please report it with what follows (no file could be written: " + e + ")\n" + details);
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
        // Ours only: the rest of the environment may hold secrets.
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
