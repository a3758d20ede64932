/**
 * Descriptors: the engine's instruction set, in which an application requests work.
 *
 * <p>Uses {@code memory}. Used by {@code fifo}, {@code pattern} and {@code context}, which write descriptors, and by
 * {@code dma}, which reads them.
 */
@NullMarked
package org.segno.engine.descriptor;

import org.jspecify.annotations.NullMarked;
