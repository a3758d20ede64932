/**
 * The {@code segno run} command, and the options for a job that demos take too.
 *
 * <p>The options become a {@link org.segno.tools.run.plan.LaunchPlan}, which a {@link
 * org.segno.tools.run.job.Launcher} runs.
 */
@NullMarked
package org.segno.tools.run;

import org.jspecify.annotations.NullMarked;
