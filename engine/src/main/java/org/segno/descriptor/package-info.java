/**
 * What an application asks of the engine: descriptors, the engine's instruction set.
 *
 * <p>Knows {@code memory}. Known by {@code fifo}, {@code pattern}, {@code context} and {@code dma}: the first three write
 * descriptors, the last reads them.
 */
@NullMarked
package org.segno.descriptor;

import org.jspecify.annotations.NullMarked;
