/**
 * {@code segno demo halo4d}: every virtual rank of a torus exchanges pieces with its neighbours, 8 in four dimensions
 * and 26 in three.
 *
 * <p>Uses {@code comparison} and {@code manytomany}.
 */
@NullMarked
package org.segno.demo.neighbours;

import org.jspecify.annotations.NullMarked;
