/**
 * Checks of the host for {@code segno doctor}: whether it is fit for jobs, and the remedy for each problem.
 *
 * <p>Each check is a class of its own and returns findings. No check changes the host.
 */
@NullMarked
package org.segno.tools.doctor;

import org.jspecify.annotations.NullMarked;
