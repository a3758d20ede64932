package org.segno.tools.process;

import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Consumer;

/** A stream that several threads write whole lines to, each write under its lock. Says when it is not taken any more. */
public final class SharedStream implements AutoCloseable {
    private final OutputStream target;
    private final Consumer<IOException> lost;

    /** Writes to {@code target}; {@code lost} is told on the writing thread why the output is not taken any more. */
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

    /** Nothing is written any more. */
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
