/**
 * Byte counters, by which messages complete.
 *
 * <p>Uses {@code memory}. Used by {@code landing} and {@code dma}, which count down, and by {@code pattern} and
 * {@code context}, which expect and wait.
 */
@NullMarked
package org.segno.counter;

import org.jspecify.annotations.NullMarked;
