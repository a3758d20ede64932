/**
 * Communication of the solver as recorded patterns of PUTs: ghost values into the neighbours' windows, partial sums
 * into the windows of all ranks.
 *
 * <p>Uses {@code solver} and {@code matrix}, and the engine through its public API.
 */
@NullMarked
package org.segno.demo.halo;

import org.jspecify.annotations.NullMarked;
