/**
 * Sharing of a context by threads: the queue of posted work, the lock, and the thread that advances by itself.
 *
 * <p>Used by {@code context}, which runs the work and enforces the rules that an application declares.
 */
@NullMarked
package org.segno.engine.work;

import org.jspecify.annotations.NullMarked;
