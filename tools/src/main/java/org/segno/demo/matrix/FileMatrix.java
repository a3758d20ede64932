package org.segno.demo.matrix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Matrix from a file that was read completely and is fit for conjugate gradients with a Jacobi preconditioner. */
public final class FileMatrix implements MatrixSource {
    /**
     * Allowed relative difference of mirror images: the two halves of a general file may have been printed from sums in
     * different orders.
     */
    private static final double SYMMETRY_TOLERANCE = 1e-12;

    private final String name;
    private final CsrMatrix matrix;

    private FileMatrix(String name, CsrMatrix matrix) {
        this.name = name;
        this.matrix = matrix;
    }

    /**
     * Reads and checks a Matrix Market file.
     *
     * @throws MatrixFormatException if the file is malformed, not symmetric, or has a zero on its diagonal
     * @throws IOException if the file does not exist or cannot be read; the message names it
     */
    public static FileMatrix read(Path file) throws IOException {
        if (!Files.exists(file)) {
            throw new IOException(file + ": no such file");
        }
        if (!Files.isReadable(file) || Files.isDirectory(file)) {
            throw new IOException(file + ": expected a readable file");
        }
        if (!Files.isRegularFile(file)) {
            throw new IOException(file + ": expected a regular file, because every rank reads it; the output"
                    + " of a pipe, as from <(…), can be read only once: write it into a file first");
        }
        final SortedEntries entries = MatrixMarketReader.readEntries(file);
        final CsrMatrix matrix = entries.matrix();
        checkDiagonal(file, matrix, entries);
        checkSymmetry(file, matrix, entries);
        return new FileMatrix(String.valueOf(file.getFileName()), matrix);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public int rowCount() {
        return matrix.rowCount();
    }

    @Override
    public long nonzeroCount() {
        return matrix.nonzeroCount();
    }

    @Override
    public int rowLength(int row) {
        return matrix.rowStart(row + 1) - matrix.rowStart(row);
    }

    @Override
    public CsrMatrix rows(int first, int end) {
        return matrix.slice(first, end);
    }

    private static void checkDiagonal(Path file, CsrMatrix matrix, SortedEntries entries) throws MatrixFormatException {
        for (int row = 0; row < matrix.rowCount(); row++) {
            final int entry = matrix.find(row, row);
            if (entry < 0 || matrix.value(entry) == 0) {
                final String problem = "expected a diagonal without zeros, by which the Jacobi preconditioner divides,"
                        + " found " + valueAt(matrix, entry) + place(row, row);
                throw entry < 0
                        ? new MatrixFormatException(file, problem)
                        : new MatrixFormatException(file, entries.line(entry), problem);
            }
        }
    }

    /**
     * Checks that each entry has a stored mirror image, even if it is zero: the plan of the exchange is derived from
     * the pattern of entries alone.
     */
    private static void checkSymmetry(Path file, CsrMatrix matrix, SortedEntries entries) throws MatrixFormatException {
        for (int row = 0; row < matrix.rowCount(); row++) {
            for (int entry = matrix.rowStart(row); entry < matrix.rowStart(row + 1); entry++) {
                final int column = matrix.column(entry);
                final int mirror = matrix.findMirror(row, entry);
                if (mirror < 0 || !areEqual(matrix.value(entry), matrix.value(mirror))) {
                    final String mirrorLine = mirror < 0 ? "" : " on line " + entries.line(mirror);
                    throw new MatrixFormatException(
                            file,
                            entries.line(entry),
                            "expected a symmetric matrix, found " + valueAt(matrix, entry) + place(row, column)
                                    + " and " + valueAt(matrix, mirror) + place(column, /* column= */ row)
                                    + mirrorLine);
                }
            }
        }
    }

    private static boolean areEqual(double a, double b) {
        return Math.abs(a - b) <= SYMMETRY_TOLERANCE * Math.max(Math.abs(a), Math.abs(b));
    }

    private static String valueAt(CsrMatrix matrix, int entry) {
        return entry < 0 ? "no entry" : String.valueOf(matrix.value(entry));
    }

    private static String place(int row, int column) {
        return " at row " + (row + 1) + ", column " + (column + 1);
    }
}
