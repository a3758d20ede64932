/**
 * Pieces from virtual ranks to virtual ranks as many-to-many exchanges of the ranks that play them.
 *
 * <p>Knows {@code ways}. Known by {@code fourier} and {@code neighbours}.
 */
@NullMarked
package org.segno.tools.demo.pieces;

import org.jspecify.annotations.NullMarked;
