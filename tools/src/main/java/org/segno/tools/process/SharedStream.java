package org.segno.tools.process;

import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Stream to which several threads write lines, so that no line contains a part of another. Each write is under a lock.
 * While one source is within a line that it writes in parts, all others wait for the end of the line, for
 * {@value #PART_LIMIT_MS} ms at most; a line of another source begins on a new line in any case. It reports a target
 * that accepts no more output.
 *
 * <p>On a terminal, the beginning of a line that is not complete, such as a question or the progress of a program, is
 * shown until the line is complete. Lines of others are written above it.
 */
public final class SharedStream implements AutoCloseable {
    static final long PART_LIMIT_MS = 2_000;

    /** Longest beginning of a line that is shown. A longer one may fill several lines of the terminal. */
    static final int SHOWN_LIMIT = 78;

    private static final byte[] ERASE = {'\r', 27, '[', 'K'};
    private static final byte[] NEW_LINE = {'\n'};

    private final OutputStream target;
    private final Consumer<IOException> lost;
    private final boolean terminal;
    private final LineState state;

    /** State of the last line of a target, and its lock. Streams to the same target share it. */
    private static final class LineState {
        /** The source whose line is not complete and will be continued. */
        private @Nullable Object holder;

        /** The source that has written last. */
        private @Nullable Object last;

        /** True if the last write has not ended its line. */
        private boolean open;

        /** The source whose beginning of a line is shown on the terminal. */
        private @Nullable Object shownOf;

        private byte[] shown = {};
    }

    private SharedStream(OutputStream target, Consumer<IOException> lost, boolean terminal, LineState state) {
        this.target = target;
        this.lost = lost;
        this.terminal = terminal;
        this.state = state;
    }

    /** Creates a stream to {@code target}. If a write fails, {@code lost} receives the reason on the writing thread. */
    public SharedStream(OutputStream target, Consumer<IOException> lost) {
        this(target, lost, false, new LineState());
    }

    /** Creates a stream to a terminal. */
    public static SharedStream toTerminal(OutputStream target, Consumer<IOException> lost) {
        return new SharedStream(target, lost, true, new LineState());
    }

    /** Creates a stream to the same terminal, pipe or file by another descriptor. Lines of both stay whole. */
    public SharedStream sibling(OutputStream other) {
        return new SharedStream(other, lost, terminal, state);
    }

    /**
     * Writes lines of a source. Bytes after the last line break are the beginning of a line that the next write of the
     * source continues.
     */
    void write(Object source, byte[] lines) {
        try {
            synchronized (state) {
                awaitEndOfLine(source);
                eraseShown();
                if (state.open && state.last != source) {
                    target.write(NEW_LINE);
                }
                target.write(lines);
                state.open = lines[lines.length - 1] != '\n';
                state.last = source;
                state.holder = state.open ? source : null;
                if (state.shownOf == source || state.open) {
                    state.shownOf = null;
                } else if (state.shownOf != null) {
                    target.write(state.shown);
                }
                target.flush();
                state.notifyAll();
            }
        } catch (final IOException e) {
            lost.accept(e);
        }
    }

    /** Shows the beginning of a line of a source on the terminal, unless that of another one is shown. */
    void show(Object source, byte[] beginning) {
        if (!terminal) {
            return;
        }
        try {
            synchronized (state) {
                if (state.open || (state.shownOf != null && state.shownOf != source)) {
                    return;
                }
                eraseShown();
                final boolean isShort = beginning.length > 0 && beginning.length <= SHOWN_LIMIT;
                state.shownOf = isShort ? source : null;
                state.shown = beginning;
                if (isShort) {
                    target.write(beginning);
                }
                target.flush();
            }
        } catch (final IOException e) {
            lost.accept(e);
        }
    }

    /** Ends a source, which writes no more. A line that it has not completed is not waited for any more. */
    void end(Object source) {
        synchronized (state) {
            if (state.holder == source) {
                state.holder = null;
                state.notifyAll();
            }
        }
    }

    private void awaitEndOfLine(Object source) {
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PART_LIMIT_MS);
        long leftNs = deadlineNs - System.nanoTime();
        while (state.holder != null && state.holder != source && leftNs > 0) {
            try {
                TimeUnit.NANOSECONDS.timedWait(state, Math.max(leftNs, TimeUnit.MILLISECONDS.toNanos(1)));
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
            leftNs = deadlineNs - System.nanoTime();
        }
    }

    private void eraseShown() throws IOException {
        if (state.shownOf != null) {
            target.write(ERASE);
        }
    }

    /** Closes the target. No writes may follow. */
    @Override
    public void close() {
        try {
            synchronized (state) {
                target.close();
            }
        } catch (final IOException e) {
            lost.accept(e);
        }
    }
}
