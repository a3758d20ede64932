/**
 * The solver's seams as recorded patterns of PUTs: ghost values into the neighbours' windows, partial sums into everybody's.
 *
 * <p>Knows {@code solver} and {@code matrix}, and the engine as any user of it does.
 */
@NullMarked
package org.segno.tools.demo.halo;

import org.jspecify.annotations.NullMarked;
