/**
 * Effect of splitting long puts over several injection FIFOs.
 *
 * <p>Uses the engine's public API; used by {@code Bench}.
 */
@NullMarked
package org.segno.bench.split;

import org.jspecify.annotations.NullMarked;
