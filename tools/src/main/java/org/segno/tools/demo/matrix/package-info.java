/**
 * Sparse matrices for the demos: read from Matrix Market files or generated, cut into blocks of rows, one block for each rank.
 *
 * <p>Pure values: knows nothing of nodes, windows or messages. What a rank has to send and to receive is computed here, sending it is
 * the business of the demos.
 */
@NullMarked
package org.segno.tools.demo.matrix;

import org.jspecify.annotations.NullMarked;
