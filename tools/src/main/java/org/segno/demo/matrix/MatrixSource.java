package org.segno.demo.matrix;

/**
 * Square symmetric matrix from which each rank takes its own rows.
 *
 * <p>Every rank creates the same source from the same arguments, so that all of them compute the same partition without
 * a message.
 */
public interface MatrixSource {
    /** Returns the name of the matrix for users: a file's name or a problem with its size. */
    String name();

    /** Returns the number of rows of the whole matrix, which is also the number of columns. */
    int rowCount();

    /** Returns the number of stored entries of the whole matrix, in both triangles. */
    long nonzeroCount();

    /** Returns the number of stored entries of one row. {@code row} counts from zero. */
    int rowLength(int row);

    /**
     * Returns the rows {@code [first, end)} with the columns of the whole matrix, ascending in each row.
     *
     * @param first first row, counted from zero
     * @param end one past the last row
     */
    CsrMatrix rows(int first, int end);
}
