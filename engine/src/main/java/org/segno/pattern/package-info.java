/**
 * Recorded sections of the large buffer: record a communication pattern once, replay it by a head and a tail.
 *
 * <p>Depends on {@code fifo}, {@code counter}, {@code descriptor} and {@code memory}. Used by {@code context}.
 */
@NullMarked
package org.segno.pattern;

import org.jspecify.annotations.NullMarked;
