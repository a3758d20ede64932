/**
 * Conjugate gradients, written against two small seams: ghost values and sums over all ranks.
 *
 * <p>With ranks the seams are messages, for the one-process reference they are nothing at all: both run the same iteration. Knows
 * {@code matrix} alone.
 */
@NullMarked
package org.segno.tools.demo.solver;

import org.jspecify.annotations.NullMarked;
