/**
 * What this machine allows: bare loops over mapped memory, without the generality of an engine.
 *
 * <p>Knows {@code experiment}. Known by the catalogue alone.
 */
@NullMarked
package org.segno.bench.limit;

import org.jspecify.annotations.NullMarked;
