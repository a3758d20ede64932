/**
 * What a node counts about itself, in its mapped file, so that tools read a running job at no cost to it; and its error log.
 *
 * <p>Knows {@code memory} and {@code status}. Known by whoever has something to count.
 */
@NullMarked
package org.segno.metrics;

import org.jspecify.annotations.NullMarked;
