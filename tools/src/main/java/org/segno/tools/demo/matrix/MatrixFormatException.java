package org.segno.tools.demo.matrix;

import java.io.IOException;
import java.nio.file.Path;

/** A matrix file that was read and is not fit; the message names the file, the line where there is one, and what was expected. */
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

    /** Number of the line, counted from one; zero when the problem is one of the whole file. */
    public long line() {
        return line;
    }
}
