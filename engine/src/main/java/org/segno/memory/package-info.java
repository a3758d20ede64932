/**
 * Mapped memory: node files, their layout, windows, and the seam through which every shared word is accessed.
 *
 * <p>Knows {@code status}. Known by everything above: this is where the two halves of the house meet.
 */
@NullMarked
package org.segno.memory;

import org.jspecify.annotations.NullMarked;
