package org.segno.bench.experiment;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Lines that a command prints until it ends. */
public final class PrintedLines {
    private static final long LIMIT_S = 300;

    private PrintedLines() {}

    /**
     * Runs a command without input, and returns the lines of its standard output.
     *
     * @throws IOException if it cannot be started or fails; the message has its output
     */
    public static List<String> of(ProcessBuilder command) throws IOException, InterruptedException {
        final Process process = command.start();
        try {
            process.getOutputStream().close();
            final String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(LIMIT_S, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new IOException(String.join(" ", command.command()) + " failed: " + text.strip());
            }
            return text.lines().toList();
        } finally {
            process.destroyForcibly();
        }
    }
}
