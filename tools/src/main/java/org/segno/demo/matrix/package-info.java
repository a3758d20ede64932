/**
 * Sparse matrices for the demos: read from Matrix Market files or generated, cut into blocks of rows, one block for
 * each rank.
 *
 * <p>The package contains values only and does not depend on nodes, windows or messages. It computes the values that a
 * rank sends and receives; the demos send them.
 */
@NullMarked
package org.segno.demo.matrix;

import org.jspecify.annotations.NullMarked;
