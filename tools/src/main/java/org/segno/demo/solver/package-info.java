/**
 * Conjugate gradients, independent of the communication: ghost values and sums over all ranks are two small interfaces.
 *
 * <p>With ranks both are implemented by messages; in the one-process reference they do nothing, and the iteration is
 * the same. Uses {@code matrix}.
 */
@NullMarked
package org.segno.demo.solver;

import org.jspecify.annotations.NullMarked;
