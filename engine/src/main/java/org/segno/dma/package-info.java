/**
 * The engine half of a node: descriptors out of injection FIFOs, packets into memory.
 *
 * <p>Knows {@code landing}, {@code fifo}, {@code counter}, {@code descriptor}, {@code memory} and {@code metrics}. Never named by the
 * application half: {@code node} puts them together, and they meet in mapped memory.
 */
@NullMarked
package org.segno.dma;

import org.jspecify.annotations.NullMarked;
