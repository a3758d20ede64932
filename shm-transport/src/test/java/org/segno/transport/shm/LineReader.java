package org.segno.transport.shm;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Reader of the output of a process, line by line, on a thread of its own. */
final class LineReader {
    private LineReader() {}

    /**
     * Returns an unstarted thread that passes each line to {@code lines}, and runs {@code atEnd} after the last one.
     */
    static Thread thread(Process process, Consumer<String> lines, Runnable atEnd) {
        final Thread thread = new Thread(() -> read(process, lines, atEnd), "reader of " + process.pid());
        thread.setDaemon(true);
        return thread;
    }

    private static void read(Process process, Consumer<String> lines, Runnable atEnd) {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                lines.accept(line);
            }
        } catch (IOException ignored) {
            lines.accept("(cut off)");
        }
        atEnd.run();
    }
}
