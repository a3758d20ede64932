/**
 * Steps of a job alone and beside other busy processes, by idle strategy: {@code bench load}.
 *
 * <p>Uses the packages that applications name. Used by the command.
 */
@NullMarked
package org.segno.bench.load;

import org.jspecify.annotations.NullMarked;
