/**
 * What an application asks of the engine, put into words and written as descriptors: messages, atomic changes, targets.
 *
 * <p>Knows {@code descriptor}, {@code counter}, {@code dispatch}, {@code fifo}, {@code geometry} and {@code memory}. Known by
 * {@code context}, which checks what is asked for and injects it.
 */
@NullMarked
package org.segno.operation;

import org.jspecify.annotations.NullMarked;
