/**
 * Mapped memory: node files, their layout, and the layer through which every shared word is accessed.
 *
 * <p>The application half and the engine half share this memory. Applications use {@code org.segno.memory}.
 */
@NullMarked
package org.segno.engine.memory;

import org.jspecify.annotations.NullMarked;
