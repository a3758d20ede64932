/**
 * Recorded patterns in a file, so that a job that is started anew has them from its start.
 *
 * <p>Knows {@code pattern} and {@code context}. Known by applications.
 */
@NullMarked
package org.segno.saved;

import org.jspecify.annotations.NullMarked;
