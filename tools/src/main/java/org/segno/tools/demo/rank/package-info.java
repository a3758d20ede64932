/**
 * What the ranks of every demo do alike: join their job, print one report, end with the exit code that says how it went.
 *
 * <p>Knows {@code run} and the engine. Known by each demo.
 */
@NullMarked
package org.segno.tools.demo.rank;

import org.jspecify.annotations.NullMarked;
