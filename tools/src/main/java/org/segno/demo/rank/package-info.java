/**
 * Programs of the ranks of every demo: they join their job, print one report, and end with the exit code of the result.
 *
 * <p>Of the demos, only this package and the commands depend on {@code org.segno.tools}, apart from the formatting of
 * reports, {@code org.segno.tools.output}.
 */
@NullMarked
package org.segno.demo.rank;

import org.jspecify.annotations.NullMarked;
