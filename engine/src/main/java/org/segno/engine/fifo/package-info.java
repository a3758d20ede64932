/**
 * Bounded rings, each with one producer and one consumer: injection FIFOs and rings of runs from the application,
 * reception lanes to it.
 *
 * <p>Used by {@code landing} and {@code dma} on one side, and by {@code pattern} and {@code context} on the other.
 * Their threads meet only here.
 */
@NullMarked
package org.segno.engine.fifo;

import org.jspecify.annotations.NullMarked;
