/**
 * {@code segno demo fft3d}: a Fourier transform in three dimensions by pencils, forward and backward, with four
 * transposes.
 *
 * <p>Uses {@code ways} and {@code pieces}.
 */
@NullMarked
package org.segno.demo.fourier;

import org.jspecify.annotations.NullMarked;
