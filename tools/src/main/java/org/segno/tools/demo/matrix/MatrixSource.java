package org.segno.tools.demo.matrix;

/**
 * A square symmetric matrix from which each rank takes its own rows.
 *
 * <p>Every rank makes the same source from the same arguments, so that all of them compute the same partition without a message.
 */
public interface MatrixSource {
    /** What a user would call this matrix: a file's name or a problem with its size. */
    String name();

    /** Rows of the whole matrix, as many as it has columns. */
    int rowCount();

    /** Stored entries of the whole matrix, both triangles counted. */
    long nonzeroCount();

    /** Stored entries of one row; {@code row} counts from zero. */
    int rowLength(int row);

    /**
     * The rows {@code [first, end)} with the columns of the whole matrix, ascending in each row.
     *
     * @param first first row wanted, counted from zero.
     * @param end one past the last row wanted.
     */
    CsrMatrix rows(int first, int end);
}
