/**
 * {@code segno demo fft3d}: a Fourier transform in three dimensions by pencils, forward and backward, with four
 * transposes.
 *
 * <p>Uses {@code comparison} and {@code manytomany}.
 */
@NullMarked
package org.segno.demo.fourier;

import org.jspecify.annotations.NullMarked;
