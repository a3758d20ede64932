/**
 * Segno itself, measured through its public API as a user would call it.
 *
 * <p>Knows {@code experiment} and the engine. Known by the catalogue alone.
 */
@NullMarked
package org.segno.bench.segno;

import org.jspecify.annotations.NullMarked;
