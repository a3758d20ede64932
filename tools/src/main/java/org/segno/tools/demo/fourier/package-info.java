/**
 * {@code segno demo fft3d}: a Fourier transform in three dimensions by pencils, there and back; four transposes.
 *
 * <p>Knows {@code ways} and {@code pieces}.
 */
@NullMarked
package org.segno.tools.demo.fourier;

import org.jspecify.annotations.NullMarked;
