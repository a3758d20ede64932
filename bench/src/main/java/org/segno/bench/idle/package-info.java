/**
 * Cost of ranks that only wait, {@code bench idle}, and the time until they handle a message, {@code bench wake}.
 *
 * <p>Uses the packages that applications name. Used by the command.
 */
@NullMarked
package org.segno.bench.idle;

import org.jspecify.annotations.NullMarked;
