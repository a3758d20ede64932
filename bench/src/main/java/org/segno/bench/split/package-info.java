/**
 * What it brings to split long puts over several injection FIFOs.
 *
 * <p>Knows the engine's public API. Known by {@code Bench}.
 */
@NullMarked
package org.segno.bench.split;

import org.jspecify.annotations.NullMarked;
