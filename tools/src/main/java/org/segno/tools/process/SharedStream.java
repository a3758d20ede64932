package org.segno.tools.process;

import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Consumer;

/**
 * Stream to which several threads write whole lines, each write under its lock. It reports a target that accepts no
 * more output.
 */
public final class SharedStream implements AutoCloseable {
    private final OutputStream target;
    private final Consumer<IOException> lost;

    /** Creates a stream to {@code target}. If a write fails, {@code lost} receives the reason on the writing thread. */
    public SharedStream(OutputStream target, Consumer<IOException> lost) {
        this.target = target;
        this.lost = lost;
    }

    void write(byte[] lines) {
        try {
            synchronized (target) {
                target.write(lines);
                target.flush();
            }
        } catch (final IOException e) {
            lost.accept(e);
        }
    }

    /** Closes the target. No writes may follow. */
    @Override
    public void close() {
        try {
            synchronized (target) {
                target.close();
            }
        } catch (final IOException e) {
            lost.accept(e);
        }
    }
}
