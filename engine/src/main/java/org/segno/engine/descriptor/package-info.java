/**
 * Descriptors: the engine's instruction set, in which an application requests work.
 *
 * <p>Used by {@code writer}, which writes descriptors, by {@code pattern}, which records them, by {@code fifo}, which
 * carries them, and by {@code dma}, which executes them.
 */
@NullMarked
package org.segno.engine.descriptor;

import org.jspecify.annotations.NullMarked;
