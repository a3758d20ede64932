/**
 * Cost of ranks that only wait: {@code bench idle}.
 *
 * <p>Uses the packages that applications name. Used by the command.
 */
@NullMarked
package org.segno.bench.idle;

import org.jspecify.annotations.NullMarked;
