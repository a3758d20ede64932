/**
 * Sharing of a context by threads: the queue of posted work, the lock, and the check of the declared thread level.
 *
 * <p>Used by {@code context}, which runs the work and enforces the rules that an application declares.
 */
@NullMarked
package org.segno.engine.work;

import org.jspecify.annotations.NullMarked;
