/**
 * The {@code segno sim} command: deterministic simulations of a job, by seed, and the reduction of one that fails.
 *
 * <p>The simulations are {@code org.segno.simulator} of the engine. This package chooses plans, runs them on several
 * threads, and prints the results.
 */
@NullMarked
package org.segno.tools.simulate;

import org.jspecify.annotations.NullMarked;
