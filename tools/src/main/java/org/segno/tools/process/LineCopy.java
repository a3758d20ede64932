package org.segno.tools.process;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Supplier;

/**
 * Copy of the output of ranks to one or more streams, line by line, each with its prefix: {@code [2]<out> line}.
 *
 * <p>One daemon thread reads each source. Complete lines are written at once, under the lock of each target. Bytes are
 * not decoded. A line longer than {@link #LINE_LIMIT} is written in parts, so that memory stays bounded. With a prefix
 * each part becomes a line, and so does a last line without an end. Without a prefix every byte is copied unchanged;
 * the targets end a last line without an end if another source writes after it.
 */
public final class LineCopy {
    static final int LINE_LIMIT = 1 << 20;

    private static final int CHUNK_LENGTH = 16 * 1024;

    private final List<SharedStream> targets;
    private final Supplier<String> prefix;

    /**
     * Creates a copy to all {@code targets}.
     *
     * @param prefix supplies the prefix of each complete line; empty for none
     */
    public LineCopy(List<SharedStream> targets, Supplier<String> prefix) {
        this.targets = List.copyOf(targets);
        this.prefix = prefix;
    }

    /** Starts the thread that copies {@code source} to its end. */
    public Thread start(InputStream source, String name) {
        final Thread thread = new Thread(() -> copy(source), "segno-output-" + name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    void copy(InputStream source) {
        final byte[] chunk = new byte[CHUNK_LENGTH];
        final ByteArrayOutputStream line = new ByteArrayOutputStream();
        final ByteArrayOutputStream lines = new ByteArrayOutputStream();
        try (source) {
            for (int length = source.read(chunk); length >= 0; length = source.read(chunk)) {
                for (int index = 0; index < length; index++) {
                    if (chunk[index] == '\n') {
                        finish(line, true, lines);
                    } else {
                        if (line.size() == LINE_LIMIT) {
                            finish(line, false, lines);
                        }
                        line.write(chunk[index]);
                    }
                }
                write(lines);
                show(line);
            }
        } catch (final IOException ignored) {
            // The rank was killed while its pipe was read. The received bytes are written, as at a regular end.
        }
        if (line.size() > 0) {
            finish(line, false, lines);
        }
        write(lines);
        targets.forEach(target -> target.end(this));
    }

    private void finish(ByteArrayOutputStream line, boolean ended, ByteArrayOutputStream lines) {
        final String tag = prefix.get();
        lines.writeBytes(tag.getBytes(StandardCharsets.UTF_8));
        lines.writeBytes(line.toByteArray());
        if (ended || !tag.isEmpty()) {
            lines.write('\n');
        }
        line.reset();
    }

    private void write(ByteArrayOutputStream lines) {
        if (lines.size() > 0) {
            final byte[] bytes = lines.toByteArray();
            targets.forEach(target -> target.write(this, bytes));
            lines.reset();
        }
    }

    /** Shows the beginning of a line, from its last carriage return on, where a target is a terminal. */
    private void show(ByteArrayOutputStream line) {
        if (line.size() == 0) {
            return;
        }
        final byte[] bytes = line.toByteArray();
        int start = bytes.length;
        while (start > 0 && bytes[start - 1] != '\r' && bytes.length - start <= SharedStream.SHOWN_LIMIT) {
            start--;
        }
        final ByteArrayOutputStream beginning = new ByteArrayOutputStream();
        beginning.writeBytes(prefix.get().getBytes(StandardCharsets.UTF_8));
        beginning.write(bytes, start, bytes.length - start);
        targets.forEach(target -> target.show(this, beginning.toByteArray()));
    }
}
