/**
 * Limits of this machine: bare loops over mapped memory, without the generality of an engine.
 *
 * <p>Uses {@code experiment}; used by the catalogue only.
 */
@NullMarked
package org.segno.bench.limit;

import org.jspecify.annotations.NullMarked;
