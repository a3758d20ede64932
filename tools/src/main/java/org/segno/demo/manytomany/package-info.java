/**
 * Many-to-many exchanges between virtual ranks, replayed or as separate PUTs.
 *
 * <p>Uses {@code comparison} and {@code halo}; used by {@code fourier} and {@code neighbours}.
 */
@NullMarked
package org.segno.demo.manytomany;

import org.jspecify.annotations.NullMarked;
