/**
 * Mapped memory: node files, their layout, windows, and the layer through which every shared word is accessed.
 *
 * <p>Uses {@code status}. Used by all packages above: the application half and the engine half share this memory.
 */
@NullMarked
package org.segno.memory;

import org.jspecify.annotations.NullMarked;
