/**
 * Segno itself, measured through its public API as an application would call it.
 *
 * <p>Uses {@code experiment} and the engine; used by the catalogue only.
 */
@NullMarked
package org.segno.bench.segno;

import org.jspecify.annotations.NullMarked;
