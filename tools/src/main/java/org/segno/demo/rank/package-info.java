/**
 * Common parts of the ranks of every demo: they join their job, print one report, and end with the exit code of the
 * result.
 *
 * <p>Uses {@code run} and the engine; used by each demo.
 */
@NullMarked
package org.segno.demo.rank;

import org.jspecify.annotations.NullMarked;
