package org.segno.tools.command;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/**
 * Standard output that keeps the first write failure, which the streams of the JDK ignore.
 *
 * <p>Unbuffered. Used by one thread.
 */
public final class StandardOutput extends OutputStream {
    private final OutputStream target;
    private @Nullable IOException loss;

    StandardOutput(OutputStream target) {
        this.target = target;
    }

    /** Opens the standard output of this process. */
    public static StandardOutput open() {
        return new StandardOutput(new FileOutputStream(FileDescriptor.out));
    }

    @Override
    public void write(int octet) throws IOException {
        write(new byte[] {(byte) octet}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            target.write(bytes, offset, length);
        } catch (final IOException e) {
            loss = loss == null ? e : loss;
            throw e;
        }
    }

    /**
     * Checks that all output has been written.
     *
     * @throws CommandException if some output was lost, see {@link #lost}
     */
    public void check() {
        if (loss != null) {
            throw lost(loss);
        }
    }

    /**
     * Returns the exception for output that could not be written: the end by signal PIPE if the output has no reader
     * any more, otherwise {@link ExitCode#NOT_FIT}.
     */
    public static CommandException lost(IOException reason) {
        final String text = String.valueOf(reason.getMessage());
        return text.contains("Broken pipe")
                ? new CommandException(ExitCode.OUTPUT_UNREAD, "the output has no reader any more")
                : new CommandException(ExitCode.NOT_FIT, "the output cannot be written and is lost: " + text);
    }
}
