package org.segno.demo.matrix;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Exception for a matrix file that was read but is not fit. The message names the file, the line if there is one, and
 * the expected content.
 */
public final class MatrixFormatException extends IOException {
    private static final long serialVersionUID = 1L;

    private final long line;

    MatrixFormatException(Path file, long line, String problem) {
        super(file + ":" + line + ": " + problem);
        this.line = line;
    }

    MatrixFormatException(Path file, String problem) {
        super(file + ": " + problem);
        this.line = 0;
    }

    /** Returns the number of the line, counted from one, or zero if the problem concerns the whole file. */
    public long line() {
        return line;
    }
}
