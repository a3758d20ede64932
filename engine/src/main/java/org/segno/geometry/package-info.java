/**
 * Who takes part and where: pure values, which know no memory and no peer.
 *
 * <p>Knows nothing. Known by everything above it that names who is meant.
 */
@NullMarked
package org.segno.geometry;

import org.jspecify.annotations.NullMarked;
