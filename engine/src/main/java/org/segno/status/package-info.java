/**
 * What an operation answers: results below zero on the hot path, exceptions at the edge and from waits, deadlines.
 *
 * <p>Knows nothing. Known by every package.
 */
@NullMarked
package org.segno.status;

import org.jspecify.annotations.NullMarked;
