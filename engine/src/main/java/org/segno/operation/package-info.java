/**
 * Requests of an application to the engine, and their encoding as descriptors: messages, atomic changes, targets.
 *
 * <p>Depends on {@code descriptor}, {@code counter}, {@code dispatch}, {@code fifo}, {@code geometry} and
 * {@code memory}. Used by {@code context}, which checks the requests and injects them.
 */
@NullMarked
package org.segno.operation;

import org.jspecify.annotations.NullMarked;
