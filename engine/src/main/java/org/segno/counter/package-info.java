/**
 * Byte counters: what completes messages.
 *
 * <p>Knows {@code memory}. Known by {@code landing} and {@code dma}, which count down, and by {@code pattern} and
 * {@code context}, which expect and wait.
 */
@NullMarked
package org.segno.counter;

import org.jspecify.annotations.NullMarked;
