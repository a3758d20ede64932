/**
 * Exchange of pieces between virtual ranks, as many-to-many exchanges of the ranks that play them.
 *
 * <p>Uses {@code ways}; used by {@code fourier} and {@code neighbours}.
 */
@NullMarked
package org.segno.demo.manytomany;

import org.jspecify.annotations.NullMarked;
