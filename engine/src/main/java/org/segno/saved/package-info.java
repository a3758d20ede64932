/**
 * Recorded patterns in a file, so that a restarted job has them from its start.
 *
 * <p>Depends on {@code pattern} and {@code context}. Used by applications.
 */
@NullMarked
package org.segno.saved;

import org.jspecify.annotations.NullMarked;
