package org.segno.tools.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/**
 * Copies what ranks write to one stream, each line whole and with its tag in front: {@code [2]<out> line}.
 *
 * <p>One daemon thread per rank and stream reads; complete lines are written at once under the lock of the target.
 * Bytes are not decoded. A line longer than {@link #LINE_LIMIT} is broken, so that memory stays bounded.
 */
public final class TaggedOutput {
    static final int LINE_LIMIT = 1 << 20;

    private static final int CHUNK_LENGTH = 16 * 1024;

    private final OutputStream target;
    private final Consumer<IOException> lost;

    /** Writes to {@code target}; {@code lost} is told on a reading thread why the output is not taken any more. */
    public TaggedOutput(OutputStream target, Consumer<IOException> lost) {
        this.target = target;
        this.lost = lost;
    }

    /** Starts the thread that copies {@code source} to its end. */
    public Thread start(InputStream source, String tag) {
        final Thread thread = new Thread(() -> copy(source, tag), "segno-output-" + tag);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    void copy(InputStream source, String tag) {
        final byte[] prefix = (tag + " ").getBytes(StandardCharsets.UTF_8);
        final byte[] chunk = new byte[CHUNK_LENGTH];
        final ByteArrayOutputStream line = new ByteArrayOutputStream();
        final ByteArrayOutputStream lines = new ByteArrayOutputStream();
        try (source) {
            for (int length = source.read(chunk); length >= 0; length = source.read(chunk)) {
                for (int index = 0; index < length; index++) {
                    if (chunk[index] == '\n' || line.size() == LINE_LIMIT) {
                        finish(line, prefix, lines);
                    }
                    if (chunk[index] != '\n') {
                        line.write(chunk[index]);
                    }
                }
                write(lines);
            }
        } catch (final IOException ignored) {
            // The rank was killed while its pipe was read: what came is written, as at a regular end.
        }
        if (line.size() > 0) {
            finish(line, prefix, lines);
        }
        write(lines);
    }

    private static void finish(ByteArrayOutputStream line, byte[] prefix, ByteArrayOutputStream lines) {
        lines.writeBytes(prefix);
        lines.writeBytes(line.toByteArray());
        lines.write('\n');
        line.reset();
    }

    private void write(ByteArrayOutputStream lines) {
        try {
            synchronized (target) {
                lines.writeTo(target);
                target.flush();
            }
        } catch (final IOException e) {
            lost.accept(e);
        }
        lines.reset();
    }
}
