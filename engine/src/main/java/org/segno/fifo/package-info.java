/**
 * The bounded rings, one producer and one consumer each: injection FIFOs and runs out of an application, reception lanes into
 * it.
 *
 * <p>Knows {@code memory}, {@code descriptor} and {@code counter}. Known by {@code landing} and {@code dma} on one side and by
 * {@code pattern} and {@code context} on the other: their threads meet here and nowhere else.
 */
@NullMarked
package org.segno.fifo;

import org.jspecify.annotations.NullMarked;
